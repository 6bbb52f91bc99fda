import { type WaitKind, WAITS } from '@rxlet/agent-api/journal';
import { describe, expect, it } from 'vitest';
import type { JournalSpan } from '../model/life.ts';
import { waitSentence } from './sentences.ts';

const NOW_MS = 100_000;

/** Expected sentence of each kind of wait; the compiler requires all of them. */
const EXPECTED: Readonly<Record<WaitKind, readonly [span: Partial<JournalSpan>, sentence: string]>> = {
  'admission.queue': [{}, 'waits for its admission: the decision on another pod is pending'],
  'admission.handler': [{ subject: 'quota' }, 'waits for the decision of the admission handler "quota"'],
  'admission.preparation': [{}, 'waits for the node to make room for it: other pods are being preempted'],
  'pod.retry': [{ attributes: { untilMs: NOW_MS + 2_000 } }, 'could not be taken over from its source; next try in 2s'],
  'pod.predecessor': [{}, 'waits for the end of an earlier pod with the same name'],
  'source.ready': [{ subject: 'file' }, 'waits until the source "file" has reported all pods'],
  'runtime.status': [{}, 'waits for the status of its containers from the container runtime'],
  'node.runtime': [{ attributes: { message: 'no answer' } }, 'waits for the container runtime: no answer'],
  'node.network': [{ attributes: { message: 'no CNI' } }, 'waits for the network of the container runtime: no CNI'],
  'pod.prepare': [{ subject: 'volumes' }, 'waits for the node to prepare its volumes'],
  'cgroup.create': [{}, 'waits for its cgroup'],
  'volume.attach': [{ subject: 'data' }, 'waits for volume "data" to be attached to the node'],
  'volume.mount': [
    { subject: 'data', attributes: { plugin: 'kubernetes.io/csi' } },
    'waits for volume "data" (kubernetes.io/csi) to be mounted',
  ],
  'volume.backoff': [
    { subject: 'data', attributes: { untilMs: NOW_MS - 1 } },
    'could not mount volume "data"; the next try is due',
  ],
  'sandbox.prepare': [{ subject: 'claims' }, 'waits for "claims" to prepare its sandbox'],
  'sandbox.create': [{}, 'waits for the container runtime to create its sandbox and network'],
  'sync.backoff': [{ attributes: { untilMs: NOW_MS + 90_000 } }, 'could not be started completely; next try in 1m30s'],
  'image.credentials': [{ subject: 'app:1' }, 'waits for the credentials to pull image "app:1"'],
  'image.queue': [
    { subject: 'app:1', container: 'app', attributes: { position: 3, ahead: 'a, b' } },
    'waits to pull image "app:1" for container "app": it is number 3 in the queue, behind a, b',
  ],
  'image.pull': [
    { subject: 'app:1', container: 'app', attributes: { currentBytes: 5e6, totalBytes: 2e7 } },
    'pulls image "app:1" for container "app": 5.0 of 20.0 MB (25 %)',
  ],
  'image.backoff': [
    { subject: 'app:1', container: 'app', attributes: { untilMs: NOW_MS + 20_000 } },
    'could not pull image "app:1" for container "app"; next try in 20s',
  ],
  'container.prepare': [{ container: 'app' }, 'waits for the configuration of container "app"'],
  'container.create': [{ container: 'app' }, 'waits for the container runtime to create container "app"'],
  'container.start': [{ container: 'app' }, 'waits for the container runtime to start container "app"'],
  'container.post-start': [{ container: 'app' }, 'waits for the postStart hook of container "app"'],
  'container.backoff': [
    { container: 'app', attributes: { delayMs: 40_000, untilMs: NOW_MS + 12_000 } },
    'restarts container "app", which keeps exiting, after a back-off of 40s; next try in 12s',
  ],
  'container.init': [{ container: 'init' }, 'waits for init container "init" to complete'],
  'container.startup': [{ container: 'app' }, 'waits for container "app" to pass its startup probe'],
  'container.readiness': [
    { container: 'app' },
    'runs, but container "app" is not ready: its readiness probe has not succeeded',
  ],
  'pod.restart-all': [{}, 'restarts all its containers'],
  'pod.readiness-gate': [{ subject: 'lb/ready' }, 'runs, but its readiness gate "lb/ready" is not true'],
  'resize.deferred': [
    { attributes: { reason: 'Deferred', message: 'no CPU' } },
    'runs, but its resize is deferred: no CPU',
  ],
  'resize.actuate': [{}, 'waits for its new resources to take effect'],
  'container.pre-stop': [
    { container: 'app', attributes: { graceSeconds: 30 } },
    'waits for the preStop hook of container "app", for at most 30s',
  ],
  'container.stop-order': [{ container: 'proxy' }, 'stops container "proxy" after the containers that need it'],
  'container.stop': [
    { container: 'app', attributes: { graceSeconds: 30 } },
    'waits for container "app" to stop, for at most 30s',
  ],
  'container.remove': [{ container: 'app' }, 'waits for the container runtime to remove container "app"'],
  'sandbox.stop': [{}, 'waits for the container runtime to stop its sandbox'],
  'sandbox.remove': [{}, 'waits for the container runtime to remove its sandbox'],
  'pod.release': [{ subject: 'claims' }, 'waits for "claims" to release its resources'],
  'pod.tear-down': [{ subject: 'volumes' }, 'waits for the node to clean up its volumes'],
  'volume.unmount': [{ subject: 'data' }, 'waits for volume "data" to be unmounted'],
  'cgroup.remove': [{}, 'waits for the processes in its cgroup to end'],
  'pod.delete': [{}, 'has ended; waits for the API server to delete its object'],
};

describe('waitSentence', () => {
  it.each(WAITS)('explains %s', (kind) => {
    const [span, sentence] = EXPECTED[kind];
    expect(waitSentence({ id: '1', startMs: NOW_MS, kind, ...span }, NOW_MS)).toBe(sentence);
  });

  it('explains a wait of a kind that a module adds', () => {
    const span = { id: '1', startMs: NOW_MS, kind: 'gpu/reset', subject: 'gpu0' };
    expect(waitSentence(span, NOW_MS)).toBe('waits for reset of gpu (gpu0)');
  });
});
