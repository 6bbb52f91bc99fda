/** A pure core: the files to mutate, and the tests that must notice. */
export interface Core {
  readonly name: string;
  /** Folder of the package, from the workspace's root. */
  readonly folder: string;
  /** Files to mutate, in `folder`. */
  readonly files: readonly string[];
  /** Globs of the tests to run, in `folder`. */
  readonly tests: readonly string[];
}

/**
 * The cores that are measured. Only examples in the package's own tests run: what its property tests in files of their own, `npm run parity` and scenarios of whole
 * agents notice does not count.
 */
export const CORES: readonly Core[] = [
  {
    name: 'pleg',
    folder: 'packages/pleg/src',
    files: ['relist-period.ts', 'pod-lifecycle-event.ts', 'hint-audit.ts', 'hint-checks.ts'],
    tests: ['{relist-period,pod-lifecycle-event,hint-audit,hint-checks}.test.ts'],
  },
  {
    name: 'runtime-manager',
    folder: 'packages/runtime-manager/src',
    files: [
      'compute/compute-pod-actions.ts',
      'compute/container-resets.ts',
      'compute/container-resize.ts',
      'compute/container-state.ts',
      'compute/init-container-actions.ts',
      'compute/resize-plan.ts',
      'compute/sandbox-need.ts',
    ],
    tests: ['compute/*.test.ts'],
  },
  {
    name: 'status-manager',
    folder: 'packages/status-manager/src',
    files: [
      'condition-types.ts',
      'container-instance.ts',
      'container-resources.ts',
      'container-statuses.ts',
      'container-transitions.ts',
      'generate-pod-status.ts',
      'is-urgent.ts',
      'normalize-status.ts',
      'pod-conditions.ts',
      'pod-level-resources.ts',
      'pod-phase.ts',
      'probe-results.ts',
      'resize-conditions.ts',
      'status-equality.ts',
      'terminated-containers.ts',
      'terminated-status.ts',
      'unlocated-container.ts',
      'usable-sandbox.ts',
      'api/foreign-fields.ts',
      'api/merge-pod-status.ts',
    ],
    // Those of the shell reach nearly every line, and take too long for each mutant.
    tests: [
      '!(status-*|pod-start-latency|start-errors|restart).test.ts',
      'status-equality.test.ts',
      'api/merge-pod-status.test.ts',
    ],
  },
  {
    name: 'pod-workers',
    folder: 'packages/pod-workers/src',
    files: [
      'effective-grace-period.ts',
      'full-name-queue.ts',
      'pod-states.ts',
      'pod-worker-questions.ts',
      'pod-worker-state.ts',
      'retry-delay.ts',
    ],
    tests: [
      '{effective-grace-period,full-name-queue,pod-states,pod-worker-questions,pod-worker-state,retry-delay}.test.ts',
    ],
  },
  {
    name: 'eviction',
    folder: 'packages/eviction/src',
    files: [
      'admit-under-pressure.ts',
      'eviction-message.ts',
      'met-thresholds.ts',
      'observations.ts',
      'parse-thresholds.ts',
      'pod-usage.ts',
      'rank-pods.ts',
      'synchronize.ts',
    ],
    tests: ['*.test.ts'],
  },
  {
    name: 'cpu-manager',
    folder: 'packages/cpu-manager/src',
    files: [
      'allocate-cpus.ts',
      'cpu-hints.ts',
      'cpu-layout.ts',
      'cpu-pool.ts',
      'distribute-cpus.ts',
      'requested-cpus.ts',
    ],
    tests: ['*.test.ts'],
  },
];

/** Variable of the environment with the name of the core whose tests the Vitest configuration includes. */
export const CORE_VARIABLE = 'RXLET_MUTATION_CORE';
