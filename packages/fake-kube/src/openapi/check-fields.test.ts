import { describe, expect, it } from 'vitest';
import { createTestServer, podNamed } from '../test-support.ts';

const PODS = '/api/v1/namespaces/default/pods';
const broken = podNamed('a', { containers: [{ name: 'c', image: 'x', imag: 'y' }], nodeNam: 'n' });
const fields = 'unknown field "spec.containers[0].imag", unknown field "spec.nodeNam"';

describe('validation of fields', () => {
  it('rejects unknown fields if the client wants that', async () => {
    await using server = createTestServer();
    const message = `Pod in version "v1" cannot be handled as a Pod: strict decoding error: ${fields}`;
    expect(await server.request('POST', `${PODS}?fieldValidation=Strict`, broken)).toMatchObject({
      status: 400,
      json: { message },
    });
    await server.request('POST', PODS, podNamed('a'));
    const patch = { spec: { nodeNam: 'n' } };
    const type = 'application/strategic-merge-patch+json';
    const patched = await server.request('PATCH', `${PODS}/a?fieldValidation=Strict`, patch, { type });
    expect(patched.json.message).toContain('strict decoding error: unknown field "spec.nodeNam"');
  });

  it('warns of unknown fields by default', async () => {
    await using server = createTestServer();
    const { status, headers } = await server.request('POST', PODS, broken);
    expect([status, headers['warning']]).toEqual([
      201,
      String.raw`299 - "unknown field \"spec.containers[0].imag\"", 299 - "unknown field \"spec.nodeNam\""`,
    ]);
    const { headers: silent } = await server.request('POST', `${PODS}?fieldValidation=Ignore`, {
      ...broken,
      metadata: { name: 'b' },
    });
    expect(silent['warning']).toBeUndefined();
  });

  it('rejects values of another type, whatever the client wants', async () => {
    await using server = createTestServer();
    const pod = podNamed('a', { nodeName: ['n'] });
    expect(await server.request('POST', `${PODS}?fieldValidation=Ignore`, pod)).toMatchObject({
      status: 400,
      json: {
        message:
          'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal: spec.nodeName is a list, expected a string',
      },
    });
  });
});

describe('OpenAPI', () => {
  it('has a document for each group and version, with schemas that refer to each other', async () => {
    await using server = createTestServer();
    const read = async (path: string): Promise<Record<string, unknown>> =>
      (await server.request('GET', path)).json as unknown as Record<string, unknown>;
    expect((await read('/openapi/v3'))['paths']).toMatchObject({
      'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' },
      'apis/coordination.k8s.io/v1': {},
    });
    const { components, paths } = (await read('/openapi/v3/api/v1')) as {
      components: { schemas: Record<string, object> };
      paths: Record<string, object>;
    };
    const references = JSON.stringify(components).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
    expect([...references].filter(([, name]) => components.schemas[name!] === undefined)).toEqual([]);
    expect(components.schemas['io.k8s.api.core.v1.Pod']).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
    });
    expect(paths['/api/v1/namespaces/{namespace}/pods/{name}']).toMatchObject({
      patch: { parameters: [{ name: 'fieldValidation' }] },
    });
    expect((await server.request('GET', '/openapi/v3/apis/unknown/v1')).status).toBe(404);
  });
});
