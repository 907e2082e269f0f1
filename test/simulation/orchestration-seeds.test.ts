import { repetitions } from '@ecsm/runtime/testing';
import { simulates } from './simulating.kit.ts';

const [seeds, parts] = repetitions({ test: [30, 720], ci: [60, 360], thorough: [300, 60] });
simulates(
  `orders, autoscales and preempts services with crashes, stale reads and lost responses: seeds 1 to ${seeds}`,
  'orchestration',
  'seeds',
  1,
  seeds,
);
simulates('survives some of the crash points of orchestration', 'orchestration', 'points', 0, parts);
