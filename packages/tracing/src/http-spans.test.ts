import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import { createHttpSpans } from './http-spans.ts';

function setUp() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return { http: createHttpSpans(provider.getTracer('test')), spans: () => exporter.getFinishedSpans() };
}
const [SERVER, CLIENT] = [1, 2];
const [UNSET, ERROR] = [0, 2];

describe('requests to a server', () => {
  it.each([
    [200, UNSET],
    [101, UNSET],
    [404, UNSET],
    [500, ERROR],
  ])('with the answer %i have a span with the name of the route and the status %i', async (status, code) => {
    const { http, spans } = setUp();
    await http.server.trace(
      { method: 'POST', route: '/exec' },
      async () => undefined,
      () => status,
    );
    expect(spans()).toMatchObject([
      {
        name: '/exec',
        kind: SERVER,
        parentSpanContext: undefined,
        attributes: { 'http.request.method': 'POST', 'http.route': '/exec', 'http.response.status_code': status },
        status: { code },
      },
    ]);
  });

  it('end their spans when they fail', async () => {
    const { http, spans } = setUp();
    const failing = http.server.trace(
      { method: 'GET', route: '/pods' },
      () => Promise.reject(new Error('no')),
      () => 500,
    );
    await expect(failing).rejects.toThrow('no');
    expect(spans()).toHaveLength(1);
  });
});

describe('requests of a client', () => {
  const request = { method: 'GET', path: '/api/v1/nodes', headers: { accept: 'application/json' } };

  it('pass their traces on, and keep everything else', async () => {
    const { http, spans } = setUp();
    const sent: (typeof request)[] = [];
    const send = http.client(async (one: typeof request) => (sent.push(one), { status: 200, body: 'x' }));
    expect(await send(request)).toEqual({ status: 200, body: 'x' });
    const [span] = spans();
    expect(span).toMatchObject({ name: 'HTTP GET', kind: CLIENT, attributes: { 'http.response.status_code': 200 } });
    const { traceId, spanId } = span!.spanContext();
    expect(sent).toEqual([
      { ...request, headers: { accept: 'application/json', traceparent: `00-${traceId}-${spanId}-01` } },
    ]);
    expect(JSON.stringify(span!.attributes)).not.toContain('/api');
  });

  it('show failures: answers from 400 on, and none', async () => {
    const { http, spans } = setUp();
    await http.client(async () => ({ status: 404 }))(request);
    await expect(http.client(() => Promise.reject(new Error('refused')))(request)).rejects.toThrow('refused');
    expect(spans().map(({ status }) => status)).toEqual([{ code: ERROR }, { code: ERROR, message: 'refused' }]);
  });
});
