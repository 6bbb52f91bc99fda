/**
 * Kinds of spans that group others, one at a time for each pod: its admission, and the three steps of its worker (kubelet: SyncPod, SyncTerminatingPod,
 * SyncTerminatedPod). A span without an explicit parent belongs to the open phase of its pod.
 */
export const PHASES = ['pod.admit', 'pod.sync', 'pod.terminate', 'pod.clean-up'] as const;

/** Kind of a phase. */
export type PhaseKind = (typeof PHASES)[number];

/**
 * Kinds of spans that a pod waits for: while one is open, the pod cannot get further. Every state in which a pod can wait has its kind here; a module that
 * makes pods wait for something else adds a kind of its own, of the form `module/kind`.
 */
export const WAITS = [
  // Before the worker.
  'admission.queue',
  'admission.handler',
  'admission.preparation',
  'pod.retry',
  'pod.predecessor',
  'source.ready',
  // Before the containers.
  'runtime.status',
  'node.runtime',
  'node.network',
  'pod.prepare',
  'cgroup.create',
  'volume.attach',
  'volume.mount',
  'sandbox.prepare',
  'volume.backoff',
  'sandbox.create',
  'sync.backoff',
  // Images.
  'image.credentials',
  'image.queue',
  'image.pull',
  'image.backoff',
  // Containers.
  'container.prepare',
  'container.create',
  'container.start',
  'container.post-start',
  'container.backoff',
  'container.init',
  'container.startup',
  'container.readiness',
  'pod.restart-all',
  'pod.readiness-gate',
  // Resizes.
  'resize.deferred',
  'resize.actuate',
  // The end.
  'container.pre-stop',
  'container.stop-order',
  'container.stop',
  'container.remove',
  'sandbox.stop',
  'pod.release',
  'sandbox.remove',
  'pod.tear-down',
  'volume.unmount',
  'cgroup.remove',
  'pod.delete',
] as const;

/** Kind of a wait. */
export type WaitKind = (typeof WAITS)[number];

/** Kinds of facts: changes without a duration. */
export const FACTS = [
  'agent.started',
  'pod.source',
  'pod.updated',
  'pod.rejected',
  'pod.terminating',
  'pod.finished',
  'container.exited',
  'image.present',
  'image.rejected',
  'probe.changed',
] as const;

/** Kind of a fact. */
export type FactKind = (typeof FACTS)[number];

const WAIT_KINDS: ReadonlySet<string> = new Set(WAITS);

/** Reports whether a span of this kind is one of {@link WAITS}. */
export function isWaitKind(kind: string): kind is WaitKind {
  return WAIT_KINDS.has(kind);
}
