import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { resources } from '@rxlet/kube-api/resources';
import type { StateStore } from '@rxlet/node-files/state-file';
import { describe, expect, it } from 'vitest';
import { bootstrapTokenSecret } from '../auth/bootstrap-tokens.ts';
import { admin } from '../auth/user.ts';
import { createFakeKube } from '../create-fake-kube.ts';
import type { FakeKube } from '../fake-kube.ts';

const { configMaps, secrets, serviceAccounts } = resources;
const MAPS = '/api/v1/namespaces/default/configmaps';

/** A store that holds its state in memory. */
class MemoryStateStore implements StateStore {
  text: string | undefined;
  setAsideText: string | undefined;
  load(): string | undefined {
    return this.text;
  }
  async save(text: string): Promise<void> {
    this.text = text;
  }
  setAside(): string {
    [this.setAsideText, this.text] = [this.text, undefined];
    return 'state.corrupt';
  }
}

const run = (stateStore: StateStore, seed: number, logger = recordingLogger()): FakeKube =>
  createFakeKube({ clock: createVirtualClock(), random: seededRandom(seed), logger, stateStore });

async function send(kube: FakeKube, method: string, path: string, body?: object, token?: string) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const user = token === undefined ? { user: admin } : {};
  const answer = await kube.handle({ method, path, headers, ...(body && { body: JSON.stringify(body) }), ...user });
  let text = '';
  for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
  return { status: answer.status, json: JSON.parse(text) as { status: { token: string } } };
}

describe('a state store of a fake API server', () => {
  it('keeps objects, their versions, tokens and the certificate authority over a restart', async () => {
    const store = new MemoryStateStore();
    const first = run(store, 1);
    const created = first.objects.create(configMaps, { metadata: { name: 'a', namespace: 'default' } });
    first.objects.apply(bootstrapTokenSecret('abcdef', '0123456789abcdef'));
    first.objects.create(serviceAccounts, { metadata: { name: 'robot', namespace: 'default' } });
    const requested = await send(first, 'POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
    const { certificatePem } = await first.authority();
    await first[Symbol.asyncDispose]();

    await using second = run(store, 2);
    expect(second.objects.get(configMaps, 'a', 'default')).toEqual(created);
    expect((await second.authority()).certificatePem).toBe(certificatePem);
    await expect((await second.authority()).issue({ commonName: 'x', usages: ['client auth'] })).resolves.toBeDefined();
    for (const token of [requested.json.status.token, 'abcdef.0123456789abcdef']) {
      expect((await send(second, 'GET', MAPS, undefined, token)).status).toBe(200);
    }
    expect((await send(second, 'GET', MAPS, undefined, 'abcdef.0123456789abcdeX')).status).toBe(401);
    const next = second.objects.create(configMaps, { metadata: { name: 'b', namespace: 'default' } });
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
    expect(second.objects.list(secrets, 'kube-system')).toHaveLength(1);
  });

  it('is saved before a change is answered', async () => {
    const store = new MemoryStateStore();
    await using kube = run(store, 1);
    await send(kube, 'POST', MAPS, { metadata: { name: 'a' } });
    expect(store.text).toContain('"name":"a"');
  });

  it.each(['{"format":1}', 'no JSON', '{"format":1,"revision":3,"objects":[null],"tokenKey":"k"}'])(
    'is set aside with a warning when it holds %s',
    async (text) => {
      const store = new MemoryStateStore();
      store.text = text;
      const logger = recordingLogger();
      await using kube = run(store, 1, logger);
      expect(store.setAsideText).toBe(text);
      expect(logger.lines).toMatchObject([{ level: 'warn', fields: { movedTo: 'state.corrupt' } }]);
      expect(kube.objects.list(resources.namespaces)).toHaveLength(4);
    },
  );
});
