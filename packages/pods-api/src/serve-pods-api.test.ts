import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import type { PodChange } from '@rxlet/agent-api';
import { createEmitter } from '@rxlet/component-base/streams';
import {
  createVirtualClock,
  recordingLogger,
  type RecordingMetrics,
  recordingMetrics,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventType, Pods, type WatchPodsEvent } from '../gen/pods/v1alpha1/pods_pb.js';
import { createPodsApi } from './create-pods-api.ts';
import { servePodsApi } from './serve-pods-api.ts';
import { encodePod } from './wire/encode-pod.ts';

const EMPTY = new Uint8Array();

let folder: string;
let socketPath: string;
let toDispose: AsyncDisposable[] = [];
let pods: Map<string, Pod>;
let changes: ReturnType<typeof createEmitter<PodChange>>;
let subscribers: number;
let clock: VirtualClock;
let metrics: RecordingMetrics;
const logger = recordingLogger();

beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/pods-api-`);
  socketPath = `${folder}/pods-api.sock`;
  pods = new Map();
  changes = createEmitter();
  subscribers = 0;
  clock = createVirtualClock();
  metrics = recordingMetrics();
});
afterEach(async () => {
  for (const each of toDispose) await each[Symbol.asyncDispose]();
  toDispose = [];
  await rm(folder, { recursive: true });
});

async function serve(): Promise<Client<typeof Pods>> {
  const changes$ = new Observable<PodChange>((subscriber) => {
    subscribers += 1;
    return changes.values$.subscribe(subscriber).add(() => (subscribers -= 1));
  });
  const api = createPodsApi({ pods: { list: () => [...pods.values()], changes$ }, logger, metrics });
  toDispose.push(await servePodsApi(api, { socketPath, clock, logger }));
  return newClient();
}

function newClient(): Client<typeof Pods> {
  const nodeOptions = { createConnection: () => connect(socketPath) };
  return createClient(Pods, createGrpcTransport({ baseUrl: 'http://localhost', nodeOptions }));
}

function change(type: PodChange['type'], pod: Pod): void {
  const uid = pod.metadata?.uid ?? '';
  if (type === 'DELETED') pods.delete(uid);
  else pods.set(uid, pod);
  changes.emit({ type, pod });
}

function newPod(uid: string, annotations: Record<string, string> = {}): Pod {
  const metadata = { name: `pod-${uid}`, namespace: 'ns', uid, annotations };
  return { metadata, spec: { containers: [{ name: 'c', image: 'i' }] }, status: { phase: 'Running' } };
}

/** Starts a watch, whose events are taken one at a time. */
function watch(client: Client<typeof Pods>, signal?: AbortSignal): () => Promise<WatchPodsEvent> {
  const events = client.watchPods({}, { signal })[Symbol.asyncIterator]();
  return async () => {
    const result = await events.next();
    if (result.done === true) throw new Error('the watch has ended');
    return result.value;
  };
}

async function failureOf(work: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await work.catch((error: unknown) => error));
}

describe('lists and single pods', () => {
  it('lists all pods with their statuses, sorted by UID', async () => {
    const [a, b] = [newPod('a'), newPod('b')];
    pods.set('b', b).set('a', a);
    const client = await serve();
    expect((await client.listPods({})).pods.map(toHex)).toEqual([a, b].map((pod) => toHex(encodePod(pod))));
  });

  it('lists no pods before the sources are ready, as a kubelet does', async () => {
    const client = await serve();
    expect((await client.listPods({})).pods).toEqual([]);
  });

  it('returns a pod by its UID', async () => {
    const pod = newPod('a');
    pods.set('a', pod);
    const client = await serve();
    expect(toHex((await client.getPod({ podUID: 'a' })).pod)).toBe(toHex(encodePod(pod)));
  });

  it('answers NotFound for an unknown UID', async () => {
    const client = await serve();
    const failure = await failureOf(client.getPod({ podUID: 'none' }));
    expect(failure).toMatchObject({ code: Code.NotFound, rawMessage: 'pod with UID none not found' });
  });

  it('answers Internal for a pod that cannot be encoded', async () => {
    pods.set('a', { ...newPod('a'), spec: { containers: 'none' } } as unknown as Pod);
    const client = await serve();
    const rawMessage = 'failed to marshal pod: spec.containers: not a list';
    expect(await failureOf(client.listPods({}))).toMatchObject({ code: Code.Internal, rawMessage });
    expect(await failureOf(client.getPod({ podUID: 'a' }))).toMatchObject({ code: Code.Internal, rawMessage });
  });
});

describe('watches', () => {
  it('send the current pods, the end of those, and then changes', async () => {
    const [a, b] = [newPod('a'), newPod('b')];
    pods.set('b', b).set('a', a);
    const next = watch(await serve());
    expect(await next()).toMatchObject({ type: EventType.ADDED, pod: encodePod(a) });
    expect(await next()).toMatchObject({ type: EventType.ADDED, pod: encodePod(b) });
    expect(await next()).toMatchObject({ type: EventType.INITIAL_SYNC_COMPLETE, pod: EMPTY });
    const c = newPod('c');
    change('ADDED', c);
    const changed: Pod = { ...a, status: { phase: 'Succeeded' } };
    change('MODIFIED', changed);
    change('DELETED', b);
    expect(await next()).toMatchObject({ type: EventType.ADDED, pod: encodePod(c) });
    expect(await next()).toMatchObject({ type: EventType.MODIFIED, pod: encodePod(changed) });
    const named = { metadata: { name: 'pod-b', namespace: 'ns', uid: 'b' } };
    expect(await next()).toMatchObject({ type: EventType.DELETED, pod: encodePod(named) });
  });

  it('send pods of sources that become ready later', async () => {
    const next = watch(await serve());
    expect((await next()).type).toBe(EventType.INITIAL_SYNC_COMPLETE);
    change('ADDED', newPod('a'));
    expect((await next()).type).toBe(EventType.ADDED);
  });

  it('encode a change once for all watchers, and nothing without watchers', async () => {
    const client = await serve();
    expect(subscribers).toBe(0);
    const controllers = [new AbortController(), new AbortController()];
    const watches = controllers.map(({ signal }) => watch(client, signal));
    for (const next of watches) await next();
    expect(subscribers).toBe(1);
    change('ADDED', newPod('a'));
    for (const next of watches) expect((await next()).type).toBe(EventType.ADDED);
    for (const controller of controllers) controller.abort();
    await vi.waitFor(() => expect(subscribers).toBe(0));
  });

  it('end with ResourceExhausted after a hundred changes that the client has not taken', async () => {
    const client = await serve();
    const [slow, quick] = [watch(client), watch(newClient())];
    expect((await slow()).type).toBe(EventType.INITIAL_SYNC_COMPLETE);
    await quick();
    // Larger than the windows of HTTP/2 together, so that the server cannot write them all.
    const filler = 'x'.repeat(20_000);
    for (let index = 0; index < 120; index += 1) {
      change('ADDED', newPod(String(index), { filler }));
      await quick();
    }
    const types: EventType[] = [];
    const failure = await failureOf(
      (async () => {
        for (;;) types.push((await slow()).type);
      })(),
    );
    expect(failure).toMatchObject({ code: Code.ResourceExhausted, rawMessage: 'watch client channel closed' });
    expect(types.length).toBeGreaterThanOrEqual(100);
    expect(types.length).toBeLessThan(120);
    expect(metrics.values.get('kubelet_pod_watch_events_dropped_total')).toBe(1);
    change('DELETED', newPod('1'));
    expect((await quick()).type).toBe(EventType.DELETED);
  });

  it('end with Internal at a pod that cannot be encoded, and can be started again', async () => {
    const client = await serve();
    const next = watch(client);
    await next();
    changes.emit({ type: 'ADDED', pod: { ...newPod('a'), spec: 1 } as unknown as Pod });
    expect(await failureOf(next())).toMatchObject({
      code: Code.Internal,
      rawMessage: 'error marshalling watch event pod: spec: not an object',
    });
    expect(metrics.values.get('kubelet_pod_watch_events_dropped_total')).toBe(1);
    const again = watch(client);
    await again();
    change('ADDED', newPod('b'));
    expect((await again()).type).toBe(EventType.ADDED);
  });

  it('leave nothing behind when the client goes away while events are written', async () => {
    const controller = new AbortController();
    const next = watch(await serve(), controller.signal);
    await next();
    const filler = 'x'.repeat(20_000);
    for (let index = 0; index < 20; index += 1) change('ADDED', newPod(String(index), { filler }));
    const errors = vi.spyOn(console, 'error');
    controller.abort();
    await vi.waitFor(() => expect(subscribers).toBe(0));
    expect(errors).not.toHaveBeenCalled();
    errors.mockRestore();
  });

  it('end with Unavailable when the agent stops', async () => {
    const next = watch(await serve());
    await next();
    changes.complete();
    expect(await failureOf(next())).toMatchObject({ code: Code.Unavailable, rawMessage: 'the agent is stopping' });
  });
});

describe('the socket', () => {
  it('rejects more than ten requests at once and a hundred a second, but no watches', async () => {
    const client = await serve();
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => client.listPods({})));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    expect(failures).toEqual(Array(2).fill('ConnectError: [resource_exhausted] rejected by rate limit'));
    expect((await watch(client)()).type).toBe(EventType.INITIAL_SYNC_COMPLETE);
    await clock.advance(10);
    await expect(client.listPods({})).resolves.toMatchObject({ pods: [] });
    const failure = await failureOf(client.getPod({ podUID: 'a' }));
    expect(failure.code).toBe(Code.ResourceExhausted);
  });

  it("has the kubelet's mode, and replaces a stale socket", async () => {
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(`${folder}/dead`, resolve));
    await rename(`${folder}/dead`, socketPath);
    await new Promise((resolve) => dead.close(resolve));
    const client = await serve();
    expect((await stat(socketPath)).mode & 0o777).toBe(0o755);
    await expect(client.listPods({})).resolves.toMatchObject({ pods: [] });
  });

  it('is removed with all connections and subscriptions on disposal', async () => {
    const next = watch(await serve());
    await next();
    const ended = expect(next()).rejects.toThrow(ConnectError);
    await toDispose.pop()?.[Symbol.asyncDispose]();
    await ended;
    await expect(readdir(folder)).resolves.toEqual([]);
    await vi.waitFor(() => expect(subscribers).toBe(0));
  });
});

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
