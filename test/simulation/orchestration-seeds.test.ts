import { isThorough, simulates } from './simulating.kit.ts';

const [seeds, parts] = isThorough ? [300, 60] : [60, 360];
simulates(
  `orders, autoscales and preempts services with crashes, stale reads and lost responses: seeds 1 to ${seeds}`,
  'orchestration',
  'seeds',
  1,
  seeds,
);
simulates('survives some of the crash points of orchestration', 'orchestration', 'points', 0, parts);
