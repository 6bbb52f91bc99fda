import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { hasUsableSandbox } from './usable-sandbox.ts';

const usable = (sandboxes: Parameters<typeof testRuntimePodStatus>[0], hostNetwork = false): boolean =>
  hasUsableSandbox(testPod({ spec: { hostNetwork } }), testRuntimePodStatus(sandboxes));

describe('hasUsableSandbox', () => {
  it('accepts a single ready sandbox', () => {
    expect(usable({ sandboxes: [{}] })).toBe(true);
    expect(usable({ sandboxes: [{ attempt: 1 }, { attempt: 0, state: 'notready' }] })).toBe(true);
  });

  it('requires exactly one ready sandbox, the newest', () => {
    expect(usable({ sandboxes: [] })).toBe(false);
    expect(usable({ sandboxes: [{ state: 'notready' }] })).toBe(false);
    expect(usable({ sandboxes: [{ attempt: 1, state: 'notready' }, { attempt: 0 }] })).toBe(false);
    expect(usable({ sandboxes: [{ attempt: 1 }, { attempt: 0 }] })).toBe(false);
  });

  it('requires the network mode of the pod', () => {
    expect(usable({ sandboxes: [{ hostNetwork: true, ips: [] }] }, true)).toBe(true);
    expect(usable({ sandboxes: [{ hostNetwork: true, ips: [] }] }, false)).toBe(false);
    expect(usable({ sandboxes: [{}] }, true)).toBe(false);
  });

  it('requires an IP, if the runtime reports the network', () => {
    expect(usable({ sandboxes: [{ ips: [] }] })).toBe(false);
    expect(usable({ sandboxes: [{ ips: [], hasNetworkStatus: false }] })).toBe(true);
  });
});
