# Completion for rdma-tidy, rdma-fix, rdma-litmus and rdma-run. What there is, --help says.
_rdma_tidy() {
  local tool=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} option=
  # bash makes a word of its own of "="
  if [ "$current" = "=" ]; then
    option=$before current=
  elif [ "$before" = "=" ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  case $option in
  --format)
    if [ "$tool" = rdma-litmus ]; then
      COMPREPLY=($(compgen -W "text json" -- "$current"))
    else
      COMPREPLY=($(compgen -W "text json sarif html" -- "$current"))
    fi
    ;;
  --model)
    if [ "$tool" = rdma-litmus ]; then
      COMPREPLY=($(compgen -W "sc rdma-tso rdma-sc" -- "$current"))
    else
      COMPREPLY=($(compgen -W "rdma-tso rdma-sc" -- "$current"))
    fi
    ;;
  --assume-topology) COMPREPLY=($(compgen -W "always never shown" -- "$current")) ;;
  --plan) COMPREPLY=($(compgen -W "exact greedy" -- "$current")) ;;
  --schedule) COMPREPLY=($(compgen -W "strong weak ordered" -- "$current")) ;;
  --torn) COMPREPLY=($(compgen -W "words lines" -- "$current")) ;;
  --link) COMPREPLY=($(compgen -W "infiniband ethernet" -- "$current")) ;;
  --check) COMPREPLY=($(compgen -W "log abort" -- "$current")) ;;
  --use-color) COMPREPLY=($(compgen -W "true false" -- "$current")) ;;
  --fail-on) COMPREPLY=($(compgen -W "finding unknown never" -- "$current")) ;;
  --checks | --warnings-as-errors | --explain)
    COMPREPLY=($(compgen -W "$("$tool" '--checks=*' --list-checks 2>/dev/null | sed -n 's/^    \(rdma-[a-z-]*\)$/\1/p')" -- "$current"))
    ;;
  *)
    if [ -z "$option" ] && [[ $current == -* ]]; then
      COMPREPLY=($(compgen -W "$("$tool" --help 2>/dev/null | grep -o -E '^ +--[a-z-]+(=|\[=)?' | sed 's/\[=$//; s/^ *//')" -- "$current"))
      [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    elif [ "$tool" = rdma-litmus ] && [ "$COMP_CWORD" -eq 1 ]; then
      COMPREPLY=($(compgen -W "check outcomes robust" -- "$current"))
    else
      COMPREPLY=($(compgen -f -- "$current"))
    fi
    ;;
  esac
} 2>/dev/null
complete -o filenames -F _rdma_tidy rdma-tidy rdma-fix rdma-litmus rdma-run
