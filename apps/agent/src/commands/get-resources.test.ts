import type { HttpEndpoint } from '@rxlet/agent-api/http';
import type { Pod } from '@rxlet/kube-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseTargets } from '../resources/kinds.ts';
import { byName } from '../resources/resource-kind.ts';
import { type GetOptions, getResources } from './get-resources.ts';
import { parseOutputFormat } from './output-format.ts';
import {
  type FakeAgent,
  type RecordingTerminal,
  recordingTerminal,
  runningPod,
  startFakeAgent,
} from './test-support.ts';

/** Options as they are typed. */
interface Typed extends Omit<Partial<GetOptions>, 'output' | 'targets'> {
  readonly words?: string;
  readonly output?: string;
}

describe('getResources', () => {
  let agent: FakeAgent;
  let terminal: RecordingTerminal;
  beforeEach(async () => {
    agent = await startFakeAgent({
      endpoints: [
        jsonEndpoint('node', { metadata: { name: 'node1' }, status: { nodeInfo: { kubeletVersion: 'v1.36.2' } } }),
        jsonEndpoint('manifests', {
          path: '/pods',
          items: [
            { path: '/pods/a.yaml', state: 'Accepted', objects: [{ kind: 'Secret', name: 's' }], problems: [] },
            {
              path: '/pods/b.yaml',
              state: 'Refused',
              objects: [],
              problems: [{ reason: 'InvalidManifest', message: '/pods/b.yaml: not a valid pod: spec' }],
            },
          ],
        }),
      ],
    });
    terminal = recordingTerminal();
  });
  afterEach(() => agent[Symbol.asyncDispose]());
  const get = (typed: Typed = {}): Promise<void> => getFrom(agent, terminal, typed);
  const printed = async (typed: Typed): Promise<readonly string[]> => {
    terminal = recordingTerminal();
    await get(typed);
    return terminal.printed;
  };

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
    await get({ words: 'pods web', output: 'name' });
    await get({ words: 'pods db-node1', namespace: 'shop', output: 'name' });
    expect(terminal.printed).toEqual(['pod/db-node1', 'pod/web-node1', 'pod/db-node1']);
    await expect(get({ words: 'pods db' })).rejects.toThrow('there is one in namespace "shop"');
  });

  it('reports that there are none, on standard error', async () => {
    await get();
    await get({ namespace: 'shop', output: 'wide' });
    expect(terminal.printed).toEqual([]);
    expect(terminal.errors).toEqual(['No pods found.', 'No pods found in namespace shop.']);
  });

  it('reports that the agent is not ready rather than that there are no pods, before the sources are read', async () => {
    await using starting = await startFakeAgent({ sourcesReady: () => false });
    for (const options of [{}, { words: 'pods web' }, { output: 'json' }]) {
      await expect(getFrom(starting, terminal, options)).rejects.toThrow('the agent has not read its pod sources yet');
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
    await get({ output: 'json', words: 'pods web' });
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
    await get({ output: 'yaml', words: 'pods web-node1' });
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
    const done = get({ watch: true, words: 'pods web', output: 'name' });
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
    await expect(get({ watch: true, words: 'pods web' })).rejects.toThrow('there is no pod "web"');
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

  it('lists several by name, and reports those that there are not', async () => {
    agent.put(runningPod('web'), runningPod('db'));
    expect(await printed({ words: 'pod/web po/db', output: 'name' })).toEqual(['pod/web-node1', 'pod/db-node1']);
    expect(await printed({ words: 'po web db', noHeaders: true })).toEqual([
      'web-node1   1/1   Running   0   0s',
      'db-node1    1/1   Running   0   0s',
    ]);
    await expect(get({ words: 'pods web nope' })).rejects.toThrow('there is no pod "nope"');
    expect(terminal.printed.at(-1)).toContain('web-node1');
    expect(await printed({ words: 'pods nope', ignoreNotFound: true })).toEqual([]);
  });

  it('selects by labels and fields, as kubectl does', async () => {
    const labelled = (name: string, labels: Record<string, string>): Pod => {
      const pod = runningPod(name);
      return { ...pod, metadata: { ...pod.metadata, labels } };
    };
    agent.put(labelled('web', { app: 'shop', tier: 'web' }), labelled('db', { app: 'shop' }), runningPod('x', 'other'));
    const names = (typed: Typed): Promise<readonly string[]> => printed({ output: 'name', ...typed });
    expect(await names({ selector: 'app=shop,tier!=web' })).toEqual(['pod/db-node1']);
    expect(await names({ selector: 'tier in (web, y)' })).toEqual(['pod/web-node1']);
    expect(await names({ fieldSelector: 'metadata.namespace!=default' })).toEqual(['pod/x-node1']);
    expect(await names({ fieldSelector: 'status.phase=Running,spec.nodeName=node1' })).toHaveLength(3);
    expect(await printed({ selector: 'tier', showLabels: true, labelColumns: ['app'], noHeaders: true })).toEqual([
      'default   web-node1   1/1   Running   0   0s   shop   app=shop,tier=web',
    ]);
    await expect(get({ fieldSelector: 'spec.nope=1' })).rejects.toThrow('field label not supported: spec.nope');
    await expect(get({ selector: 'a=b=c' })).rejects.toThrow('unable to parse requirement');
    await expect(get({ selector: 'app', words: 'pod web' })).rejects.toThrow('name cannot be provided');
  });

  it('sorts by a field: numbers by their value, text naturally', async () => {
    const withRestarts = (name: string, restartCount: number): Pod => {
      const pod = runningPod(name);
      const [status] = pod.status!.containerStatuses!;
      return { ...pod, status: { ...pod.status, containerStatuses: [{ ...status!, restartCount }] } };
    };
    agent.put(withRestarts('web-10', 9), withRestarts('web-9', 10));
    const names = (sortBy: string): Promise<readonly string[]> => printed({ output: 'name', sortBy });
    expect(await names('.status.containerStatuses[0].restartCount')).toEqual(['pod/web-10-node1', 'pod/web-9-node1']);
    expect(await names('{.metadata.name}')).toEqual(['pod/web-9-node1', 'pod/web-10-node1']);
    await expect(names('.spec.nope')).rejects.toThrow('couldn\'t find any field with path ".spec.nope"');
  });

  it('prints templates and columns of one or of many', async () => {
    agent.put(runningPod('web'), runningPod('db'));
    await get({ output: "jsonpath={range .items[*]}{.metadata.name}{'\\n'}{end}" });
    await get({ words: 'pod web', output: 'jsonpath={.status.podIP}' });
    expect(terminal.text()).toBe('db-node1\nweb-node1\n10.0.0.2');
    expect(await printed({ output: 'custom-columns=NAME:.metadata.name,IP:.status.podIP,X:.spec.x' })).toEqual([
      'NAME        IP         X',
      'db-node1    10.0.0.2   <none>',
      'web-node1   10.0.0.2   <none>',
    ]);
    expect((await printed({ output: 'jsonpath-as-json={.items[*].status.phase}' })).join('')).toBe(
      '[    "Running",    "Running"]',
    );
    for (const output of ['jsonpath', 'custom-columns', 'go-template={{.x}}', 'xml', 'custom-columns=A'])
      await expect(get({ output })).rejects.toThrow(
        /no template given|no custom columns|output format|custom-columns spec/,
      );
  });

  it('lists events, the node, and manifests with the refused ones', async () => {
    agent.put(runningPod('web'));
    agent.events.event({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web' }, 'Normal', 'Pulled', 'x');
    expect(await printed({ words: 'ev', noHeaders: true })).toEqual(['default   0s   Normal   Pulled   pod/web   x']);
    expect(await printed({ words: 'node node1' })).toEqual([
      'NAME    STATUS     ROLES    AGE         VERSION',
      'node1   NotReady   <none>   <unknown>   v1.36.2',
    ]);
    expect(await printed({ words: 'manifests' })).toEqual([
      'FILE     STATE      POD      OBJECTS    PROBLEM',
      'a.yaml   Accepted   <none>   secret/s',
      'b.yaml   Refused    <none>   <none>     not a valid pod: spec',
    ]);
    expect(await printed({ words: 'mf', fieldSelector: 'state=Refused', output: 'name' })).toEqual([
      'manifest.rxlet.dev/b.yaml',
    ]);
    expect(await printed({ words: 'no,po' })).toEqual(expect.arrayContaining(['', expect.stringMatching(/^default/)]));
    await expect(get({ words: 'node other' })).rejects.toThrow('there is no node "other"');
    await expect(get({ words: 'node', watch: true })).rejects.toThrow('nodes cannot be watched');
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

describe('parseTargets', () => {
  it.each([
    ['deployments', 'an agent has no "deployments"'],
    ['pod/web/x', 'must have a single resource and name'],
    ['pods pod/web', 'there is no need to specify a resource type'],
    ['svc/web', 'an agent has no "svc"'],
  ])('rejects %j', (words, message) => {
    expect(() => parseTargets(words.split(' '))).toThrow(message);
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

function jsonEndpoint(path: string, answer: unknown): HttpEndpoint {
  return {
    path,
    isLocal: true,
    handle: () => ({ contentType: 'application/json', body: JSON.stringify(answer) }),
  };
}

async function getFrom(
  { connection, clock }: FakeAgent,
  terminal: RecordingTerminal,
  { words = 'pods', output, ...options }: Typed,
): Promise<void> {
  await getResources(connection, terminal, clock, {
    watch: false,
    ...options,
    targets: parseTargets(words.split(' ')),
    output: output === undefined ? { kind: 'table' } : parseOutputFormat(output),
  });
}
