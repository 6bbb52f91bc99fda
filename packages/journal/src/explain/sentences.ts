import { isWaitKind, type WaitKind } from '@rxlet/agent-api/journal';
import type { JournalSpan } from '../model/life.ts';
import { formatDuration, formatProgress, numberOf, textOf } from './format.ts';

/** Returns the sentence of an open wait. */
type Sentence = (span: JournalSpan, nowMs: number) => string;

/** One sentence for each kind of wait. The compiler requires all of them. */
const SENTENCES: Readonly<Record<WaitKind, Sentence>> = {
  'admission.queue': () => 'waits for its admission: the decision on another pod is pending',
  'admission.handler': (span) => `waits for the decision of the admission handler ${about(span)}`,
  'admission.preparation': () => 'waits for the node to make room for it: other pods are being preempted',
  'pod.retry': (span, nowMs) => `could not be taken over from its source; ${retry(span, nowMs)}`,
  'pod.predecessor': () => 'waits for the end of an earlier pod with the same name',
  'source.ready': (span) =>
    `waits until ${span.subject === undefined ? 'all sources have' : `the source ${about(span)} has`} reported all pods`,
  'runtime.status': () => 'waits for the status of its containers from the container runtime',
  'node.runtime': (span) => `waits for the container runtime: ${textOf(span, 'message')}`,
  'node.network': (span) => `waits for the network of the container runtime: ${textOf(span, 'message')}`,
  'pod.prepare': (span) => `waits for the node to prepare its ${span.subject ?? 'resources'}`,
  'cgroup.create': () => 'waits for its cgroup',
  'volume.attach': (span) => `waits for volume ${about(span)} to be attached to the node`,
  'volume.mount': (span) => `waits for volume ${about(span)} (${textOf(span, 'plugin')}) to be mounted`,
  'volume.backoff': (span, nowMs) => `could not mount volume ${about(span)}; ${retry(span, nowMs)}`,
  'sandbox.prepare': (span) => `waits for ${about(span)} to prepare its sandbox`,
  'sandbox.create': () => 'waits for the container runtime to create its sandbox and network',
  'sync.backoff': (span, nowMs) => `could not be started completely; ${retry(span, nowMs)}`,
  'image.credentials': (span) => `waits for the credentials to pull image ${about(span)}`,
  'image.queue': queueSentence,
  'image.pull': (span) => `pulls image ${about(span)}${of(span)}${formatProgress(span)}`,
  'image.backoff': (span, nowMs) => `could not pull image ${about(span)}${of(span)}; ${retry(span, nowMs)}`,
  'container.prepare': (span) => `waits for the configuration of container ${name(span)}`,
  'container.create': (span) => `waits for the container runtime to create container ${name(span)}`,
  'container.start': (span) => `waits for the container runtime to start container ${name(span)}`,
  'container.post-start': (span) => `waits for the postStart hook of container ${name(span)}`,
  'container.backoff': (span, nowMs) =>
    `restarts container ${name(span)}, which keeps exiting, after a back-off of ${formatDuration(numberOf(span, 'delayMs'))}; ${retry(span, nowMs)}`,
  'container.init': (span) => `waits for init container ${name(span)} to complete`,
  'container.startup': (span) => `waits for container ${name(span)} to pass its startup probe`,
  'container.readiness': (span) =>
    `runs, but container ${name(span)} is not ready: its readiness probe has not succeeded`,
  'pod.restart-all': () => 'restarts all its containers',
  'pod.readiness-gate': (span) => `runs, but its readiness gate ${about(span)} is not true`,
  'resize.deferred': (span) =>
    `runs, but its resize is ${textOf(span, 'reason').toLowerCase()}: ${textOf(span, 'message')}`,
  'resize.actuate': () => 'waits for its new resources to take effect',
  'container.pre-stop': (span) => `waits for the preStop hook of container ${name(span)}${grace(span)}`,
  'container.stop-order': (span) => `stops container ${name(span)} after the containers that need it`,
  'container.stop': (span) => `waits for container ${name(span)} to stop${grace(span)}`,
  'container.remove': (span) => `waits for the container runtime to remove container ${name(span)}`,
  'sandbox.stop': () => 'waits for the container runtime to stop its sandbox',
  'sandbox.remove': () => 'waits for the container runtime to remove its sandbox',
  'pod.release': (span) => `waits for ${about(span)} to release its resources`,
  'pod.tear-down': (span) => `waits for the node to clean up its ${span.subject ?? 'resources'}`,
  'volume.unmount': (span) => `waits for volume ${about(span)} to be unmounted`,
  'cgroup.remove': () => 'waits for the processes in its cgroup to end',
  'pod.delete': () => 'has ended; waits for the API server to delete its object',
};

/** Returns the sentence of an open wait, without the name of its pod. */
export function waitSentence(span: JournalSpan, nowMs: number): string {
  if (isWaitKind(span.kind)) return SENTENCES[span.kind](span, nowMs);
  // A kind of a module: module/kind.
  const [module = '', what = ''] = span.kind.split('/');
  return `waits for ${what === '' ? module : `${what} of ${module}`}${span.subject === undefined ? '' : ` (${span.subject})`}`;
}

function queueSentence(span: JournalSpan): string {
  const position = numberOf(span, 'position');
  const ahead = textOf(span, 'ahead');
  const place = position === 1 ? 'next' : `number ${String(position)}`;
  return `waits to pull image ${about(span)}${of(span)}: it is ${place} in the queue${ahead === '' ? '' : `, behind ${ahead}`}`;
}

function about({ subject = '' }: JournalSpan): string {
  return `"${subject}"`;
}

function name({ container = '' }: JournalSpan): string {
  return `"${container}"`;
}

function of({ container }: JournalSpan): string {
  return container === undefined ? '' : ` for container "${container}"`;
}

function grace(span: JournalSpan): string {
  const seconds = numberOf(span, 'graceSeconds');
  const untilKill = span.startMs + seconds * 1000;
  return `, for at most ${formatDuration(untilKill - span.startMs)}`;
}

function retry(span: JournalSpan, nowMs: number): string {
  const leftMs = numberOf(span, 'untilMs') - nowMs;
  return leftMs > 0 ? `next try in ${formatDuration(leftMs)}` : 'the next try is due';
}
