import type { Choices } from '../workload/choices.ts';
import { HEALTH_KINDS } from '../workload/health.ts';
import type { PodExtras } from '../workload/part-steps.ts';
import type { PartKind } from './world-part.ts';

const extras = (choose: Choices): PodExtras => (choose.chance(0.7) ? { health: choose.pick(HEALTH_KINDS) } : {});

/** Containers with probes, whose health changes after their start. */
export const probesPart: PartKind = {
  name: 'probes',
  steps: 0,
  extras,
  staticExtras: extras,
  create: () => ({ name: 'probes', run: () => false }),
};
