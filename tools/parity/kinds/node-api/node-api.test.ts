import type { KubeObject } from '@rxlet/kube-api/client';
import { describe, expect, it } from 'vitest';
import { differences } from '../../difference.ts';
import { defaultDirectory, readVectorFile } from '../../vector-files.ts';
import { withoutArtefacts } from './artefacts.ts';
import { comparableRequests } from './compare.ts';
import { run } from './index.ts';
import type { ApiRequest, Recording } from './recording.ts';
import { createReplayNode } from './replay-node.ts';

const REST_SECONDS = 120;
const recordings = readVectorFile(defaultDirectory, 'node-api').map(({ vector }) => vector as Recording);
const find = (name: string): Recording => recordings.find((recording) => recording.name === name)!;

describe('the requests of a node to its API server', () => {
  // `npm run parity -- --only node-api` replays all phases.
  it.each([
    '01-start-new-node',
    '01b-start-protobuf-default',
    '02-restart-existing-node',
    '05-delete',
    '06-static-pod',
    '07-evict',
    '07-job1',
    '07-volerr',
    '09-runtime-down',
    '10-tls-bootstrap',
    '10b-bootstrap-never-approved',
  ])("match a kubelet's: %s", async (name) => {
    const { got, want } = await run(find(name));
    expect(differences(got, want)).toEqual([]);
  });

  it('consist of the lease and the status of the node at rest with 110 pods, as often as a kubelet sends them', async () => {
    await using replayed = await createReplayNode();
    await replayed.start();
    for (const name of Array.from({ length: 110 }, (_, index) => `pod-${String(index)}`)) {
      const container = { name: 'c', image: 'localhost/busybox:1.35', imagePullPolicy: 'IfNotPresent' };
      const spec = { nodeName: 'node1', containers: [{ ...container, command: ['sleep', '100000'] }] };
      replayed.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec } as KubeObject);
    }
    await replayed.node.advance(40_000);
    expect(replayed.node.running()).toHaveLength(110);
    replayed.takeRequests();
    await replayed.node.advance(REST_SECONDS * 1000);
    const requests = replayed.takeRequests();
    const isLease = ({ path }: ApiRequest): boolean => path.includes('/leases/');
    const isStatus = ({ path }: ApiRequest): boolean => path.endsWith('/nodes/node1/status');
    const others = requests.filter((request) => !isLease(request) && !isStatus(request));
    expect(others.filter(({ query }) => !query.includes('watch=true'))).toEqual([]);
    const kubelet = find('03b-rest-12min-node-requests').requests;
    for (const isKind of [isLease, isStatus]) {
      const perSecond = kubelet.filter(isKind).length / kubelet.at(-1)!.t;
      expect(requests.filter(isKind).length).toBeLessThanOrEqual(Math.ceil(perSecond * REST_SECONDS) + 1);
    }
  });

  it('differ when one is missing, added or changed', () => {
    const recording = find('07-job1');
    const requests = withoutArtefacts(recording.requests);
    const compare = (changed: Recording['requests']): string[] => {
      const { got, want } = comparableRequests(recording, changed);
      return differences(got, want);
    };
    const patches = requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/status'));
    const [first] = patches;
    expect(compare(requests)).toEqual([]);
    expect(compare(requests.filter((request) => request !== first))).not.toEqual([]);
    expect(compare([...requests, first!])).not.toEqual([]);
    const changed = { ...first!, body: { status: { phase: 'Unknown' } } };
    expect(compare(requests.map((request) => (request === first ? changed : request)))).not.toEqual([]);
  });
});
