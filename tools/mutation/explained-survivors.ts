/** A mutant that no test can or should kill, and why. */
export interface ExplainedSurvivor {
  /** File, from the workspace's root. */
  readonly file: string;
  /** Source text that the mutant replaces, as the report prints it. */
  readonly original: string;
  readonly replacement: string;
  /** `equivalent`: no input makes a difference. `unobservable`: only memory or time differs. `unreachable`: the types or the callers exclude the input. */
  readonly kind: 'equivalent' | 'unobservable' | 'unreachable';
  readonly reason: string;
}

const pleg = 'packages/pleg/src';
const podWorkers = 'packages/pod-workers/src';
const compute = 'packages/runtime-manager/src/compute';
const statusManager = 'packages/status-manager/src';
const eviction = 'packages/eviction/src';
const cpuManager = 'packages/cpu-manager/src';

export const EXPLAINED_SURVIVORS: readonly ExplainedSurvivor[] = [
  {
    file: `${pleg}/hint-checks.ts`,
    original: 'earlier.delaysMs.length < delaysMs.length',
    replacement: 'earlier.delaysMs.length <= delaysMs.length',
    kind: 'equivalent',
    reason: 'Delays of the same number that are left are the same delays.',
  },
  {
    file: `${podWorkers}/full-name-queue.ts`,
    original: 'waiting.delete(uid);',
    replacement: ';',
    kind: 'equivalent',
    reason: 'A pod that leaves is removed from both sets, so that a holder in the queue never becomes the next.',
  },
  {
    file: `${podWorkers}/full-name-queue.ts`,
    original: 'waiting.delete(next);',
    replacement: ';',
    kind: 'equivalent',
    reason: 'As above.',
  },
  {
    file: `${podWorkers}/full-name-queue.ts`,
    original: 'names.delete(fullName);',
    replacement: ';',
    kind: 'unobservable',
    reason: 'A name without pods only takes memory.',
  },
  {
    file: `${podWorkers}/retry-delay.ts`,
    original: "typeof backoffUntilMs === 'number'",
    replacement: 'true',
    kind: 'equivalent',
    reason: 'Number.isFinite rejects other types as well, but not for the compiler.',
  },
  {
    file: `${compute}/container-resize.ts`,
    original: 'limit < limitNow',
    replacement: 'limit <= limitNow',
    kind: 'equivalent',
    reason: 'The limits differ here.',
  },
  {
    file: `${compute}/container-resize.ts`,
    original: 'request < requestNow',
    replacement: 'request <= requestNow',
    kind: 'equivalent',
    reason: 'The requests differ here.',
  },
  {
    file: `${compute}/container-resets.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text has no name, and so no instance.',
  },
  {
    file: `${compute}/init-container-actions.ts`,
    original: 'false',
    replacement: 'true',
    kind: 'equivalent',
    reason: 'A pod that is killed counts as uninitialized, whatever this says.',
  },
  {
    file: `${statusManager}/container-statuses.ts`,
    original: 'status.state?.waiting',
    replacement: 'status.state.waiting',
    kind: 'unreachable',
    reason: 'observedStatus always sets a state.',
  },
  {
    file: `${statusManager}/container-statuses.ts`,
    original: 'status.state?.terminated',
    replacement: 'status.state.terminated',
    kind: 'unreachable',
    reason: 'As above.',
  },
  {
    file: `${statusManager}/container-transitions.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text is no terminated container.',
  },
  {
    file: `${statusManager}/is-urgent.ts`,
    original: "findCondition(status.conditions, type)?.status === 'True'",
    replacement: "findCondition(status.conditions, type)?.status !== 'True'",
    kind: 'equivalent',
    reason: 'Only compared with another result, which is negated as well.',
  },
  {
    file: `${statusManager}/is-urgent.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text is no ready container.',
  },
  {
    file: `${statusManager}/normalize-status.ts`,
    original: 'text.length * 3 <= bytes',
    replacement: 'false',
    kind: 'unobservable',
    reason: 'A text that fits is encoded as a whole.',
  },
  {
    file: `${statusManager}/normalize-status.ts`,
    original: 'text.length * 3 <= bytes',
    replacement: 'text.length * 3 < bytes',
    kind: 'unobservable',
    reason: 'As above.',
  },
  {
    file: `${statusManager}/normalize-status.ts`,
    original: 'a.name < b.name',
    replacement: 'a.name <= b.name',
    kind: 'equivalent',
    reason: 'Names of containers are unique in a pod.',
  },
  {
    file: `${statusManager}/pod-phase.ts`,
    original: 'initContainers.filter(isSidecar)',
    replacement: 'initContainers',
    kind: 'equivalent',
    reason:
      'A pod is pending or failed while another init container has not ended, and those that have ended count for nothing.',
  },
  {
    file: `${statusManager}/probe-results.ts`,
    original: "''",
    replacement: '"Stryker was here!"',
    kind: 'equivalent',
    reason: 'Neither text is a time. The ids of instances without one are compared by a test.',
  },
  {
    file: `${statusManager}/status-equality.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text has no type of condition.',
  },
  {
    file: `${statusManager}/terminated-containers.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text is no terminated container.',
  },
  {
    file: `${statusManager}/api/merge-pod-status.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text has no type of condition of the node agent. The last list has the disruption that was found in it.',
  },
  {
    file: `${statusManager}/api/merge-pod-status.ts`,
    original: 'phase === undefined',
    replacement: 'false',
    kind: 'equivalent',
    reason: 'An absent phase is not terminal, but not for the compiler.',
  },
  {
    file: `${eviction}/eviction-message.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text has no name and no usage.',
  },
  {
    file: `${eviction}/observations.ts`,
    original: 'availableBytes === undefined',
    replacement: 'false',
    kind: 'equivalent',
    reason: 'There is no observation without an available amount.',
  },
  {
    file: `${eviction}/observations.ts`,
    original: 'a === undefined',
    replacement: 'false',
    kind: 'equivalent',
    reason: 'There is no observation without a capacity, which is the first of both.',
  },
  {
    file: `${eviction}/parse-thresholds.ts`,
    original: 'ms !== undefined',
    replacement: 'true',
    kind: 'equivalent',
    reason: 'undefined is not at least 0, but not for the compiler.',
  },
  {
    file: `${eviction}/pod-usage.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text is no volume and uses no bytes.',
  },
  {
    file: `${eviction}/rank-pods.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A part that no pod has is not counted.',
  },
  {
    file: `${eviction}/synchronize.ts`,
    original: '{ withMinReclaim: false }',
    replacement: '{}',
    kind: 'equivalent',
    reason: 'The types require the option.',
  },
  {
    file: `${cpuManager}/cpu-hints.ts`,
    original: 'held.size === count',
    replacement: 'false',
    kind: 'equivalent',
    reason:
      'The reusable CPUs are among those that are held, and the sets of nodes that have all of these are the same either way.',
  },
  {
    file: `${cpuManager}/cpu-pool.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'A text is no CPU of the machine.',
  },
  {
    file: `${cpuManager}/distribute-cpus.ts`,
    original: 'bestImbalance === 0',
    replacement: 'false',
    kind: 'unobservable',
    reason: 'Another choice is only taken if it is better.',
  },
  {
    file: `${cpuManager}/distribute-cpus.ts`,
    original: '[]',
    replacement: '["Stryker was here"]',
    kind: 'equivalent',
    reason: 'Without a rest, no node gives one.',
  },
  {
    file: `${cpuManager}/distribute-cpus.ts`,
    original: 'combination.filter((node) => left.get(node)! >= groupSize)',
    replacement: 'combination',
    kind: 'equivalent',
    reason: 'Nodes without a whole group give nothing to the rest. Random machines find no difference.',
  },
  {
    file: `${cpuManager}/distribute-cpus.ts`,
    original: 'left.get(node)! >= groupSize',
    replacement: 'true',
    kind: 'equivalent',
    reason: 'As above.',
  },
  {
    file: `${cpuManager}/distribute-cpus.ts`,
    original: 'freeOf(node).size >= groupSize',
    replacement: 'true',
    kind: 'equivalent',
    reason: 'takeRest has chosen nodes that have enough groups.',
  },
  {
    file: `${cpuManager}/distribute-cpus.ts`,
    original: 'part.free.size < count',
    replacement: 'false',
    kind: 'unreachable',
    reason:
      'The nodes have what was chosen, unless the faults of a kubelet are repeated, which npm run parity compares.',
  },
  {
    file: `${cpuManager}/distribute-cpus.ts`,
    original: 'pool.needed > 0',
    replacement: 'false',
    kind: 'unreachable',
    reason:
      'The nodes have what was chosen, unless the faults of a kubelet are repeated, which npm run parity compares.',
  },
  {
    file: `${cpuManager}/distribute-cpus.ts`,
    original: '`accounting error, not enough CPUs allocated, remaining: ${String(pool.needed)}`',
    replacement: '``',
    kind: 'unreachable',
    reason:
      'The nodes have what was chosen, unless the faults of a kubelet are repeated, which npm run parity compares.',
  },
];
