/** Quantities as Kubernetes writes them: `512Mi`, `2031616Ki`, `250m`, `123456789n`. */

const binaryUnits = [
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
] as const;

/** Exact, with the largest unit that needs no fraction. */
export function bytesQuantity(bytes: number): string {
  const whole = Math.round(bytes);
  const [unit, size] = binaryUnits.find((one) => whole >= one[1] && whole % one[1] === 0) ?? ['', 1];
  return `${whole / size}${unit}`;
}

/** Rounded down, as the kubelet and metrics-server write memory. */
export function kibibytesQuantity(bytes: number): string {
  return `${Math.floor(bytes / 1024)}Ki`;
}

/** Cores with a resolution of 10⁻⁹, as metrics-server writes usage. */
export function nanocoresQuantity(cores: number): string {
  return `${Math.round(cores * 1e9)}n`;
}
