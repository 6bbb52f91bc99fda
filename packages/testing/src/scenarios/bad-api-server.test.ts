import type { Fault } from '@rxlet/fake-kube';
import type { LogLine } from '@rxlet/component-base/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

const MINUTE_MS = 60_000;
const PODS = 3;
const SERVER = 'cannot use the API server; requests are repeated';
const WATCH = 'cannot watch; the watch is repeated';
const LEASE = 'cannot renew the lease of the node; it is tried again';
const STATUS = 'cannot report the node status; it is tried again';

/** Starts an agent that runs pods, each with a ConfigMap of its own. */
async function start(): Promise<TestCluster> {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  await cluster.start({ without: ['pod-resources'] });
  const { kube, node } = cluster;
  for (let index = 0; index < PODS; index += 1) {
    const name = `pod-${String(index)}`;
    kube.objects.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: 'value' } });
    cluster.bind(name, { volumes: [{ name: 'v', configMap: { name } }] });
  }
  await node.until(() => node.running().length === PODS, MINUTE_MS);
  await node.advance(20_000);
  return cluster;
}

function problemsOf(lines: readonly LogLine[]): string[] {
  return lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ message }) => message);
}

const error = (reason: 'Forbidden' | 'Unauthorized' | 'TooManyRequests' | 'InternalError'): Fault => ({
  action: { type: 'error', reason, message: `the server says ${reason}` },
});

describe('an agent says once that its API server fails, asks ever more rarely, and recovers without a restart', () => {
  it.each<readonly [cause: string, fault: Fault, problems: readonly string[]]>([
    // One line for each resource: nodes, pods, services, CSIDrivers and ConfigMaps, of which there is a watch for each pod.
    ['denies everything (RBAC)', error('Forbidden'), [WATCH, WATCH, WATCH, WATCH, WATCH, LEASE, STATUS]],
    ['rejects the credentials', error('Unauthorized'), [SERVER, LEASE, STATUS]],
    ['is overloaded (429)', error('TooManyRequests'), [SERVER, LEASE, STATUS]],
    ['fails (500)', error('InternalError'), [SERVER, LEASE, STATUS]],
    // The lease is updated, and then read.
    ['breaks connections', { action: { type: 'drop', when: 'before' } }, [SERVER, LEASE, LEASE, STATUS]],
    // Watches are opened in between, so that the server seems to answer again: that is logged once a minute.
    [
      'sends garbage',
      { action: { type: 'garbage' } },
      [SERVER, SERVER, WATCH, WATCH, WATCH, WATCH, WATCH, LEASE, STATUS],
    ],
  ])('when %s', async (_, fault, problems) => {
    const { node, kube, bind, pod } = await start();
    const { length } = node.logger.lines;
    const running = node.running();
    const beginMs = node.clock.now();
    const scripted = kube.faults.add(fault);
    kube.cutWatches();
    await node.advance(2 * MINUTE_MS);
    const requestsOf = (minute: number): number =>
      kube.requests().filter(({ atMs }) => Math.floor((atMs - beginMs) / MINUTE_MS) === minute).length;
    // Eight watches, the lease, and five attempts at each node status. Reads of a connection that breaks are repeated each second, ten times.
    expect(requestsOf(0)).toBeLessThanOrEqual(fault.action?.type === 'drop' ? 150 : 110);
    expect(requestsOf(1)).toBeLessThanOrEqual(fault.action?.type === 'drop' ? 110 : 60);
    const found = problemsOf(node.logger.lines.slice(length));
    expect([...new Set(found)].sort()).toEqual([...new Set(problems)].sort());
    // What comes and goes may be logged once more, by the moment at which it does.
    expect(found.length).toBeLessThanOrEqual(problems.length + 2);
    expect(node.running()).toEqual(running);

    scripted[Symbol.dispose]();
    bind('later');
    // The longest pause of a watch.
    await node.until(() => pod('later')?.status?.phase === 'Running', MINUTE_MS + 5000);
    expect(node.running()).toEqual([...running, 'later/app'].sort());
  });
});

it('reports a malformed pod once, runs the others, and runs it once it is well-formed', async () => {
  const { node, kube, bind } = await start();
  const { length } = node.logger.lines;
  const fault = kube.faults.add({
    match: { resource: 'pods', verb: 'watch' },
    action: {
      type: 'rewrite',
      rewrite(text) {
        const line = JSON.parse(text) as { object: { metadata: { name?: string }; spec: object } };
        if (line.object.metadata.name !== 'bad') return text;
        return `${JSON.stringify({ ...line, object: { ...line.object, spec: { containers: [null] } } })}\n`;
      },
    },
  });
  kube.cutWatches({ resource: 'pods' });
  bind('bad');
  bind('good');
  await node.until(() => node.running().includes('good/app'), 20_000);
  kube.cutWatches({ resource: 'pods' });
  await node.advance(MINUTE_MS);
  expect(node.running()).toHaveLength(PODS + 1);
  const lines = node.logger.lines.slice(length).filter(({ level }) => level === 'warn' || level === 'error');
  expect(lines.map(({ message, fields }) => [message, fields['object'], fields['error']])).toEqual([
    [
      'cannot use an object of the API server; its last good version stays',
      'default/bad',
      'spec.containers[0] is null, expected a mapping',
    ],
  ]);
  fault[Symbol.dispose]();
  kube.cutWatches({ resource: 'pods' });
  kube.objects.merge({ group: '', plural: 'pods' }, 'bad', 'default', { metadata: { annotations: { a: 'b' } } });
  await node.until(() => node.running().includes('bad/app'), 20_000);
});
