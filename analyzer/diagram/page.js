for (const execution of document.querySelectorAll('.execution')) {
  const steps = [...execution.querySelectorAll('.steps li')];
  const drawn = [...execution.querySelectorAll('svg .step')];
  const words = execution.querySelector('output');
  const section = execution.closest('section');
  let now = steps.length;
  const show = (wanted, whole) => {
    now = Math.max(1, Math.min(steps.length, wanted));
    drawn.forEach((step, index) => {
      step.classList.toggle('later', index >= now);
      step.classList.toggle('current', !whole && index === now - 1);
    });
    section.querySelectorAll('.source .now').forEach(line => line.classList.remove('now'));
    const line = whole ? null : document.getElementById(steps[now - 1].dataset.line);
    if (line) line.classList.add('now');
    words.textContent = whole ? `all ${steps.length} steps` : `step ${now} of ${steps.length}: ${steps[now - 1].textContent}`;
  };
  const keys = { ArrowLeft: -1, ArrowRight: 1 };
  execution.tabIndex = 0;
  execution.addEventListener('keydown', event => {
    if (event.key in keys) { show(now + keys[event.key], false); event.preventDefault(); }
  });
  execution.querySelector('.back').addEventListener('click', () => show(now - 1, false));
  execution.querySelector('.forth').addEventListener('click', () => show(now + 1, false));
  execution.querySelector('.all').addEventListener('click', () => show(steps.length, true));
  show(steps.length, true);
}
const openPage = () => {
  const page = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (page && page.tagName === 'DETAILS') page.open = true;
};
addEventListener('hashchange', openPage);
openPage();
