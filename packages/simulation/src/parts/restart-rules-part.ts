import type { Choices } from '../workload/choices.ts';
import type { PodExtras } from '../workload/part-steps.ts';
import { RESTART_RULES, RULE_CODE } from '../workload/restart-rules.ts';
import type { PartKind } from './world-part.ts';

const extras = (choose: Choices): PodExtras =>
  choose.chance(0.8) ? { restartRule: choose.pick([...RESTART_RULES, 'restart-all']) } : {};

/** Containers that restart by rules of their own, and that exit with the code of the rules. */
export const restartRulesPart: PartKind = {
  name: 'restart-rules',
  steps: 30,
  make: (choose, names) => ({
    do: 'exit',
    name: choose.pick(names),
    index: choose.pick([0, 0, 0, 1]),
    code: choose.pick([RULE_CODE, RULE_CODE, RULE_CODE, 0, 1]),
  }),
  extras,
  staticExtras: extras,
  create: () => ({ name: 'restart-rules', run: () => false }),
};
