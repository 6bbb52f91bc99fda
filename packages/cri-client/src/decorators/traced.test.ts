import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  type ContextManager,
  createContextKey,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rejectionOf, scriptedServices } from '../test-support/scripted-services.ts';
import { traced } from './traced.ts';

interface SpanRecord {
  readonly name: string;
  readonly attributes: Attributes;
  readonly exceptions: unknown[];
  readonly parent: Span | undefined;
  readonly kind: number | undefined;
  status?: SpanStatus;
  ended: boolean;
}

/** A tracer that keeps its spans. */
function recordingTracer(): { tracer: Tracer; spans: SpanRecord[] } {
  const spans: SpanRecord[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, parent: Context = context.active()): Span => {
    const attributes = { ...options.attributes };
    const record: SpanRecord = {
      name,
      attributes,
      exceptions: [],
      parent: trace.getSpan(parent),
      kind: options.kind,
      ended: false,
    };
    spans.push(record);
    const span = {
      setAttribute: (key: string, value: string | number) => ((attributes[key] = value), span),
      recordException: (exception: unknown) => void record.exceptions.push(exception),
      setStatus: (status: SpanStatus) => ((record.status = status), span),
      end: () => void (record.ended = true),
    };
    return span as unknown as Span;
  };
  return { tracer: { startSpan } as Tracer, spans };
}

const storage = new AsyncLocalStorage<Context>();
const contextManager: ContextManager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, task, self, ...args) => storage.run(active, () => task.call(self!, ...args)),
  bind: (_context, target) => target,
  enable: () => contextManager,
  disable: () => contextManager,
};

const callerKey = createContextKey('caller');
let activeBelow: (Span | undefined)[];
const services = scriptedServices({
  version: () => {
    activeBelow.push(trace.getActiveSpan());
    return { runtimeName: String(context.active().getValue(callerKey)) };
  },
  stopContainer: () => Promise.reject(new ServiceError(StatusCode.NotFound, 'no such container')),
  status: () => Promise.reject(new Error('bug')),
  getContainerEvents: async function* () {
    for (const containerId of ['a', 'b']) {
      activeBelow.push(trace.getActiveSpan());
      yield { containerId };
    }
  },
});

beforeEach(() => {
  activeBelow = [];
  context.setGlobalContextManager(contextManager);
});
afterEach(() => context.disable());

describe('traced', () => {
  it('creates a span for a call, active in the inner ports, within the context of the caller', async () => {
    const { tracer, spans } = recordingTracer();
    const { runtime } = traced(services, { tracer });
    const parent = tracer.startSpan('sync pod');
    const caller = trace.setSpan(ROOT_CONTEXT.setValue(callerKey, 'me'), parent);
    expect(await context.with(caller, () => runtime.version({}))).toMatchObject({ runtimeName: 'me' });
    expect(spans[1]).toMatchObject({
      name: 'runtime.v1.RuntimeService/Version',
      kind: 2,
      ended: true,
      exceptions: [],
      attributes: {
        'rpc.system': 'grpc',
        'rpc.service': 'runtime.v1.RuntimeService',
        'rpc.method': 'Version',
        'rpc.grpc.status_code': 0,
      },
    });
    expect(spans[1]!.parent).toBe(parent);
    expect(spans[1]!.status).toBeUndefined();
    expect(activeBelow).toHaveLength(1);
    expect(activeBelow[0]).not.toBe(parent);
    expect(activeBelow[0]).toBeDefined();
  });

  it('records errors with their code, Unknown when they have none', async () => {
    const { tracer, spans } = recordingTracer();
    const { runtime } = traced(services, { tracer });
    const refusal = await rejectionOf(runtime.stopContainer({}));
    const bug = await rejectionOf(runtime.status({}));
    expect(spans.map(({ exceptions }) => exceptions)).toEqual([[refusal], [bug]]);
    expect(spans.map(({ attributes }) => attributes['rpc.grpc.status_code'])).toEqual([5, 2]);
    expect(spans.map(({ status }) => status)).toEqual([
      { code: 2, message: 'no such container' },
      { code: 2, message: 'bug' },
    ]);
    expect(spans.every(({ ended }) => ended)).toBe(true);
  });

  it('spans a stream until it is left', async () => {
    const { tracer, spans } = recordingTracer();
    for await (const { containerId } of traced(services, { tracer }).runtime.getContainerEvents({})) {
      expect(spans[0]!.ended).toBe(false);
      if (containerId === 'b') break;
    }
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({ ended: true, attributes: { 'rpc.grpc.status_code': 1 } });
    expect(spans[0]!.status).toBeUndefined();
    expect(activeBelow[0]).toBeDefined();
  });

  it('changes nothing without an SDK', async () => {
    const { runtime } = traced(services);
    expect(await runtime.version({})).toMatchObject({ runtimeName: 'undefined' });
    expect(await rejectionOf(runtime.stopContainer({}))).toMatchObject({ code: StatusCode.NotFound });
  });
});
