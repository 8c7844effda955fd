#include "converter/Plant.h"

#include <algorithm>

namespace converter {

namespace {

constexpr double coil = 100e-6, capacitor = 47e-6, load = 5, coil_resistance = 0.05;
constexpr double gain = 10, damping = 4e-6;

using matrix = std::array<std::array<double, 3>, 3>;

matrix times(const matrix &a, const matrix &b) {
  matrix c{};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// The exponential of a matrix, by its series.
matrix exponential(const matrix &m) {
  matrix sum = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, term = sum;
  for (int n = 1; n < 40; n++) {
    term = times(term, m);
    for (auto &row : term)
      for (double &x : row)
        x /= n;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        sum[i][j] += term[i][j];
  }
  return sum;
}

} // namespace

/// No two of the twenty are quite alike.
plant::plant(unsigned index) {
  double c = capacitor * (1 + 0.02 * (static_cast<int>(index % 5) - 2) / 2.0);
  double r = load * (1 + 0.05 * (static_cast<int>(index % 3) - 1));
  double t = step_seconds;
  matrix e = exponential({{{-coil_resistance / coil * t, -t / coil, input_volts / coil * t},
                           {t / c, -t / (r * c), 0},
                           {0, 0, 0}}});
  from = {e[0][0], e[0][1], e[0][2], e[1][0], e[1][1], e[1][2]};
}

double plant::advance(double duty) {
  double i = current, v = voltage;
  current = from[0] * i + from[1] * v + from[2] * duty;
  voltage = from[3] * i + from[4] * v + from[5] * duty;
  return voltage;
}

double regulator::duty(double voltage, double period_seconds) {
  integral = std::clamp(integral + gain * period_seconds * (reference_volts - voltage), 0.0, 1.0);
  double duty = std::clamp(integral - damping * (voltage - last) / period_seconds, 0.0, 1.0);
  last = voltage;
  return duty;
}

} // namespace converter
