import type { RuntimeSandboxStatus } from '@rxlet/pod-model/runtime';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { sandboxNeed } from './sandbox-need.ts';

const hostNetworkPod = testPod({ spec: { hostNetwork: true } });
const keep = { changed: false, attempt: 2, sandboxId: 'sandbox-2' };
const renew = { changed: true, attempt: 3, sandboxId: 'sandbox-2' };

describe('sandboxNeed', () => {
  it.each<[string, typeof keep, Partial<RuntimeSandboxStatus>, (Partial<RuntimeSandboxStatus> | undefined)?]>([
    ['keeps a ready sandbox', keep, {}],
    ['keeps a ready sandbox after an earlier one that has stopped', keep, {}, { state: 'notready', attempt: 1 }],
    ['replaces a sandbox that is not ready', renew, { state: 'notready' }],
    ['replaces a sandbox that is not ready, even if an earlier one is', renew, { state: 'notready' }, { attempt: 1 }],
    ['replaces several ready sandboxes, because it is unknown which one is in use', renew, {}, { attempt: 1 }],
    ['replaces a sandbox that has lost its IP', renew, { ips: [] }],
    ['keeps a sandbox whose runtime reports no network', keep, { ips: [], hasNetworkStatus: false }],
    [
      'replaces a sandbox in the network of the node, with none to take over from',
      { ...renew, sandboxId: '' },
      { hostNetwork: true },
    ],
  ])('%s', (_title, need, newest, older) => {
    const sandboxes = [{ attempt: 2, ...newest }, ...(older === undefined ? [] : [older])];
    expect(sandboxNeed(testPod(), testRuntimePodStatus({ sandboxes }))).toEqual(need);
  });

  it('keeps a sandbox without an IP for a pod in the network of the node', () => {
    const status = testRuntimePodStatus({ sandboxes: [{ attempt: 2, hostNetwork: true, ips: [] }] });
    expect(sandboxNeed(hostNetworkPod, status)).toEqual(keep);
  });

  it('creates the first sandbox', () => {
    const status = testRuntimePodStatus({ sandboxes: [] });
    expect(sandboxNeed(testPod(), status)).toEqual({ changed: true, attempt: 0, sandboxId: '' });
  });
});
