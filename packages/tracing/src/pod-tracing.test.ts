import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { JournalEntry } from '@rxlet/agent-api/journal';
import { journalSinks } from '@rxlet/agent-api/journal';
import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
import { type CallOptions, type ImageService, type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { tracingBy } from './pod-tracing.ts';

function setUp() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const { module, calls, dispose } = tracingBy(provider);
  const [sink] = contributionsTo(module.setup(createModuleContext()), journalSinks);
  let lastId = 0;
  let nowMs = 1000;
  const begin = (kind: string, parentId?: string, more: Partial<JournalEntry> = {}): string => {
    lastId += 1;
    nowMs += 10;
    const id = String(lastId);
    sink!({ type: 'begin', id, uid: 'u1', atMs: nowMs, kind, ...(parentId && { parentId }), ...more } as JournalEntry);
    return id;
  };
  const end = (id: string, outcome: object = { result: 'ok' }): void => {
    nowMs += 10;
    sink!({ type: 'end', id, uid: 'u1', atMs: nowMs, outcome } as JournalEntry);
  };
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  const named = (name: string): ReadableSpan => spans().find((span) => span.name === name)!;
  const life = begin('pod', undefined, { namespace: 'ns', name: 'web' });
  return { begin, end, spans, named, life, calls, dispose, sink: sink! };
}

const IDENTITY = { 'k8s.pod.uid': 'u1', 'k8s.pod': 'ns/web', 'k8s.pod.name': 'web', 'k8s.namespace.name': 'ns' };

describe('spans of the journal', () => {
  it.each([
    ['pod.sync', 'syncPod', 'k8s.io/kubernetes/pkg/kubelet'],
    ['pod.terminate', 'syncTerminatingPod', 'k8s.io/kubernetes/pkg/kubelet'],
    ['pod.clean-up', 'syncTerminatedPod', 'k8s.io/kubernetes/pkg/kubelet'],
    ['pod.admit', 'pod.admit', 'rxlet'],
  ])('a phase %s is the root span %s of the scope %s', (kind, name, scope) => {
    const { begin, end, life, named } = setUp();
    end(begin(kind, life));
    expect(named(name)).toMatchObject({ parentSpanContext: undefined, instrumentationScope: { name: scope } });
    expect(named(name).attributes).toEqual(IDENTITY);
  });

  it('nest like the entries, with their times, containers and outcomes', () => {
    const { begin, end, life, named, sink } = setUp();
    const sync = begin('pod.sync', life);
    const pull = begin('image.pull', sync, { container: 'c', subject: 'image:1' });
    sink({ type: 'update', id: pull, uid: 'u1', atMs: 0, attributes: { bytes: 7 } });
    sink({ type: 'fact', id: 'f', uid: 'u1', atMs: 1035, parentId: pull, kind: 'image.present' });
    end(pull, { result: 'failed', reason: 'ErrImagePull', message: 'gone' });
    end(sync);
    const [child, parent] = [named('image.pull'), named('syncPod')];
    expect(child.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
    expect(child.spanContext().traceId).toBe(parent.spanContext().traceId);
    expect([child.startTime, child.endTime]).toEqual([
      [1, 30_000_000],
      [1, 40_000_000],
    ]);
    expect(child.attributes).toEqual({
      ...IDENTITY,
      'k8s.container.name': 'c',
      'rxlet.subject': 'image:1',
      'rxlet.bytes': 7,
      'rxlet.result': 'failed',
      'error.type': 'ErrImagePull',
    });
    expect(child.status).toEqual({ code: 2, message: 'gone' });
    expect(child.events.map(({ name }) => name)).toEqual(['image.present']);
  });

  it('ends with the agent what is open', () => {
    const { begin, life, spans, dispose } = setUp();
    begin('pod.sync', life);
    dispose();
    expect(spans().map(({ name }) => name)).toEqual(['syncPod']);
  });
});

describe('calls of the runtime', () => {
  const sandboxConfig = { metadata: { uid: 'u1', name: 'web', namespace: 'ns' } };

  function runtimeWith(answer: () => Promise<object>) {
    const headers: CallOptions['headers'][] = [];
    const call = (_request: object, options?: CallOptions) => (headers.push(options?.headers), answer());
    const names = ['runPodSandbox', 'createContainer', 'startContainer', 'listContainers', 'version', 'pullImage'];
    return { headers, service: Object.fromEntries(names.map((name) => [name, call])) as unknown };
  }

  it('become client spans in the innermost span of their pod and container, and pass on their context', async () => {
    const { begin, end, life, named, calls } = setUp();
    const { service, headers } = runtimeWith(async () => ({ containerId: 'id1' }));
    const runtime = calls.runtime(service as RuntimeService);
    const sync = begin('pod.sync', life);
    const one = begin('container.create', sync, { container: 'one' });
    const two = begin('container.create', sync, { container: 'two' });
    await runtime.createContainer({ podSandboxId: 's', config: { metadata: { name: 'one' } }, sandboxConfig });
    await runtime.startContainer({ containerId: 'id1' });
    [one, two, sync].forEach((id) => end(id));
    const created = named('runtime.v1.RuntimeService/CreateContainer');
    expect(created.kind).toBe(2);
    expect(created.attributes).toMatchObject({ ...IDENTITY, 'k8s.container.name': 'one' });
    expect(created.parentSpanContext?.spanId).toBe(named('container.create').spanContext().spanId);
    expect(named('runtime.v1.RuntimeService/StartContainer').attributes).toMatchObject({ 'k8s.container.name': 'one' });
    const { traceId, spanId } = created.spanContext();
    expect(headers[0]).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
  });

  it('carry their failure', async () => {
    const { begin, end, life, named, calls } = setUp();
    const { service } = runtimeWith(() => Promise.reject(new ServiceError(StatusCode.NotFound, 'no image')));
    const sync = begin('pod.sync', life);
    const images = calls.images(service as ImageService);
    await expect(images.pullImage({ sandboxConfig })).rejects.toThrow('no image');
    end(sync);
    const span = named('runtime.v1.ImageService/PullImage');
    expect(span.status.code).toBe(2);
    expect(span.attributes).toMatchObject({ 'rpc.grpc.status_code': StatusCode.NotFound });
  });

  it('get no span without a pod, and learn the containers of lists', async () => {
    const { begin, end, life, spans, named, calls } = setUp();
    const labels = { 'io.kubernetes.pod.uid': 'u1', 'io.kubernetes.container.name': 'c' };
    const { service, headers } = runtimeWith(async () => ({ containers: [{ id: 'old', labels }] }));
    const runtime = calls.runtime(service as RuntimeService);
    await runtime.listContainers({});
    await runtime.startContainer({ containerId: 'old' });
    expect([spans(), headers]).toEqual([[], [undefined, undefined]]);
    const sync = begin('pod.sync', life);
    await runtime.startContainer({ containerId: 'old' });
    end(sync);
    expect(named('runtime.v1.RuntimeService/StartContainer').attributes).toMatchObject(IDENTITY);
  });
});
