import type { Pod } from '@rxlet/kube-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { byName, getPods, type GetPodsOptions } from './get-pods.ts';
import {
  type FakeAgent,
  type RecordingTerminal,
  recordingTerminal,
  runningPod,
  startFakeAgent,
} from './test-support.ts';

describe('getPods', () => {
  let agent: FakeAgent;
  let terminal: RecordingTerminal;
  beforeEach(async () => {
    agent = await startFakeAgent();
    terminal = recordingTerminal();
  });
  afterEach(() => agent[Symbol.asyncDispose]());
  const get = (options: Partial<GetPodsOptions> = {}): Promise<void> =>
    getPods(agent.connection, terminal, agent.clock, { output: 'table', watch: false, ...options });

  it('lists the pods of all namespaces in order', async () => {
    agent.put(runningPod('web'), runningPod('db', 'a-shop'), runningPod('api'));
    await agent.clock.advance(42_000);
    await get();
    expect(terminal.printed).toEqual([
      'NAMESPACE   NAME        READY   STATUS    RESTARTS   AGE',
      'a-shop      db-node1    1/1     Running   0          42s',
      'default     api-node1   1/1     Running   0          42s',
      'default     web-node1   1/1     Running   0          42s',
    ]);
  });

  it('shows more with wide', async () => {
    agent.put(runningPod('web'));
    await get({ output: 'wide' });
    expect(terminal.printed).toEqual([
      'NAMESPACE   NAME        READY   STATUS    RESTARTS   AGE   IP         NODE',
      'default     web-node1   1/1     Running   0          0s    10.0.0.2   node1',
    ]);
  });

  it('lists those of one namespace, or one by name', async () => {
    agent.put(runningPod('web'), runningPod('db', 'shop'));
    await get({ namespace: 'shop', output: 'name' });
    await get({ name: 'web', output: 'name' });
    await get({ name: 'db-node1', namespace: 'shop', output: 'name' });
    expect(terminal.printed).toEqual(['pod/db-node1', 'pod/web-node1', 'pod/db-node1']);
    await expect(get({ name: 'db' })).rejects.toThrow('there is one in namespace "shop"');
  });

  it('reports that there are none, on standard error', async () => {
    await get();
    await get({ namespace: 'shop', output: 'wide' });
    expect(terminal.printed).toEqual([]);
    expect(terminal.errors).toEqual(['No pods found.', 'No pods found in namespace shop.']);
  });

  it('reports that the agent is not ready rather than that there are no pods, before the sources are read', async () => {
    await using starting = await startFakeAgent({ sourcesReady: () => false });
    for (const options of [{}, { name: 'web' }, { output: 'json' }] as const) {
      const listing = getPods(starting.connection, terminal, starting.clock, {
        output: 'table',
        watch: false,
        ...options,
      });
      await expect(listing).rejects.toThrow('the agent has not read its pod sources yet');
    }
    expect(terminal.errors).toEqual([]);
  });

  it('prints JSON: a list, or the one asked for', async () => {
    agent.put(runningPod('web'));
    await get({ output: 'json' });
    const object = { ...runningPod('web'), apiVersion: 'v1', kind: 'Pod' };
    expect(JSON.parse(terminal.printed.join('\n'))).toEqual({
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: {},
      items: [object],
    });
    terminal = recordingTerminal();
    await get({ output: 'json', name: 'web' });
    expect(JSON.parse(terminal.printed.join('\n'))).toEqual(object);
    terminal = recordingTerminal();
    await get({ output: 'json', namespace: 'shop' });
    expect(JSON.parse(terminal.printed.join('\n'))).toMatchObject({ kind: 'PodList', items: [] });
  });

  it('prints YAML that a reader of YAML 1.1 takes for the same', async () => {
    const env = [
      { name: 'DEBUG', value: 'yes' },
      { name: 'TIME', value: '12:30:00' },
      { name: 'LONG', value: 'word '.repeat(40).trim() },
    ];
    const pod: Pod = { ...runningPod('web'), spec: { containers: [{ name: 'main', env }] } };
    agent.put(pod);
    await get({ output: 'yaml', name: 'web-node1' });
    const text = terminal.printed.join('\n');
    expect(parse(text, { version: '1.1' })).toEqual({ ...pod, apiVersion: 'v1', kind: 'Pod' });
    expect(terminal.printed[0]).toBe('apiVersion: v1');
    expect(text).toContain(env[2]!.value);
  });

  it('watches: all pods in order, then a line for each change in the same columns', async () => {
    agent.put(runningPod('web'), runningPod('a-long-name'));
    const done = get({ watch: true });
    await terminal.until(3);
    await agent.clock.advance(5000);
    const web = runningPod('web');
    agent.put({ ...web, metadata: { ...web.metadata, deletionTimestamp: '2026-01-01T00:00:05Z' } });
    await terminal.until(4);
    agent.remove(web);
    await terminal.until(5);
    terminal.interrupt();
    await done;
    expect(terminal.printed).toEqual([
      'NAMESPACE   NAME                READY   STATUS    RESTARTS   AGE',
      'default     a-long-name-node1   1/1     Running   0          0s',
      'default     web-node1           1/1     Running   0          0s',
      'default     web-node1           1/1     Terminating   0          5s',
      'default     web-node1           0/1     Deleted       0          5s',
    ]);
  });

  it('watches one pod by name, also after another took its place', async () => {
    agent.put(runningPod('web'), runningPod('db'));
    const done = get({ watch: true, name: 'web', output: 'name' });
    await terminal.until(1);
    agent.put(runningPod('db'));
    const web = runningPod('web');
    agent.put({ ...web, metadata: { ...web.metadata, uid: 'another' } });
    await terminal.until(2);
    terminal.interrupt();
    await done;
    expect(terminal.printed).toEqual(['pod/web-node1', 'pod/web-node1']);
  });

  it('does not watch a pod that there is not', async () => {
    await expect(get({ watch: true, name: 'web' })).rejects.toThrow('there is no pod "web"');
  });

  it('watches in YAML, a document each', async () => {
    agent.put(runningPod('web'), runningPod('db', 'shop'));
    const done = get({ watch: true, output: 'yaml', namespace: 'shop' });
    await terminal.until(1);
    terminal.interrupt();
    await done;
    expect(terminal.printed.slice(0, 3)).toEqual(['---', 'apiVersion: v1', 'kind: Pod']);
    expect(terminal.printed).toContain('  name: db-node1');
    expect(terminal.printed).not.toContain('  name: web-node1');
  });

  it('reports when the agent goes away', async () => {
    agent.put(runningPod('web'));
    const done = get({ watch: true });
    await terminal.until(2);
    await agent.stop();
    await expect(done).rejects.toThrow('went away');
    await expect(get()).rejects.toThrow('no agent answers');
  });
});

describe('byName', () => {
  it('orders by namespace, then name', () => {
    const pod = (namespace: string, name: string): Pod => ({ metadata: { namespace, name } });
    const pods = [pod('a-b', 'x'), pod('a', 'z'), pod('a', 'y')];
    expect(pods.toSorted(byName)).toEqual([pod('a', 'y'), pod('a', 'z'), pod('a-b', 'x')]);
    expect(byName(pod('a', 'x'), pod('a', 'x'))).toBe(0);
  });
});
