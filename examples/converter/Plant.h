// A buck converter, averaged over its switching, and the law that controls it: the numbers of the example.
#pragma once

#include <array>

namespace converter {

constexpr double step_seconds = 10e-6, reference_volts = 12, input_volts = 48;
constexpr unsigned converters = 20;

/// Current of the coil and voltage of the capacitor; advance is exact for a duty that does not change within
/// the step.
class plant {
public:
  explicit plant(unsigned index);
  double advance(double duty); ///< the voltage after one step
private:
  std::array<double, 6> from; ///< next current and voltage, from current, voltage, duty
  double current = 0, voltage = 0;
};

/// Integral of the error, damped by how fast the voltage moves.
class regulator {
public:
  double duty(double voltage, double period_seconds);

private:
  double integral = 0, last = 0;
};

} // namespace converter
