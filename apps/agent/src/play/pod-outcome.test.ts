import type { Pod } from '@rxlet/kube-api';
import type { Manifest } from '@rxlet/pod-source/manifests';
import { expect, it } from 'vitest';
import { podOutcome } from './pod-outcome.ts';

const accepted: Manifest = {
  path: '/pods/web.yaml',
  version: '1',
  state: 'Accepted',
  pod: { namespace: 'default', name: 'web-node1', uid: 'new' },
  objects: [],
  problems: [],
};
const pod = (status: Pod['status'], uid = 'new'): Pod => ({ metadata: { uid }, ...(status && { status }) });
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } as const;

it.each<[title: string, pod: Pod | undefined, manifest: Manifest | undefined, expected: unknown]>([
  ['ready', pod(ready), accepted, { kind: 'ready' }],
  ['ready when it has ended well', pod({ phase: 'Succeeded' }), accepted, { kind: 'ready' }],
  ['pending before the agent has it', undefined, accepted, { kind: 'pending' }],
  ['pending while the pod that it replaces is there', pod(ready, 'old'), accepted, { kind: 'pending' }],
  ['pending before it is ready', pod({ phase: 'Running' }), accepted, { kind: 'pending' }],
  [
    'failed with the reason of its rejection',
    pod({ phase: 'Failed', reason: 'OutOfcpu', message: 'no room' }),
    accepted,
    { kind: 'failed', message: 'OutOfcpu: no room' },
  ],
  [
    'failed with the problem of its manifest, though the last good version runs',
    pod(ready),
    { ...accepted, state: 'Kept', problems: [{ reason: 'InvalidManifest', message: 'spec is wrong' }] },
    { kind: 'failed', message: 'spec is wrong' },
  ],
])('reports a pod as %s', (_title, given, manifest, expected) => {
  expect(podOutcome(given, manifest)).toEqual(expected);
});
