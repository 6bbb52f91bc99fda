import { describe, expect, it } from 'vitest';
import {
  isCriticalPod,
  isHostNetworkPod,
  isMirrorPod,
  isNodeCriticalPod,
  isStaticPod,
  isTerminalPhase,
} from './pod-kind.ts';
import { testPod } from './testing.ts';

const plain = testPod();
const fromFile = testPod({ annotations: { 'kubernetes.io/config.source': 'file' } });
const fromApi = testPod({ annotations: { 'kubernetes.io/config.source': 'api' } });
const mirror = testPod({ annotations: { 'kubernetes.io/config.mirror': '0123' } });

describe('kinds of pods', () => {
  it('static pods have a source other than the API', () => {
    expect([plain, fromFile, fromApi, mirror].map(isStaticPod)).toEqual([false, true, false, false]);
  });

  it('mirror pods have an annotation', () => {
    expect([plain, fromFile, mirror].map(isMirrorPod)).toEqual([false, false, true]);
  });

  it('critical pods are static pods, mirror pods, and those of a system priority', () => {
    expect([plain, fromFile, fromApi, mirror].map(isCriticalPod)).toEqual([false, true, false, true]);
    expect(isCriticalPod(testPod({ spec: { priority: 1_999_999_999 } }))).toBe(false);
    expect(isCriticalPod(testPod({ spec: { priority: 2_000_000_000 } }))).toBe(true);
  });

  it('node-critical pods are critical and have the priority class', () => {
    const priorityClassName = 'system-node-critical';
    expect(isNodeCriticalPod(testPod({ spec: { priority: 2_000_001_000, priorityClassName } }))).toBe(true);
    expect(isNodeCriticalPod(testPod({ spec: { priority: 10, priorityClassName } }))).toBe(false);
    expect(isNodeCriticalPod(fromFile)).toBe(false);
  });

  it('host network pods set hostNetwork', () => {
    expect(isHostNetworkPod(plain)).toBe(false);
    expect(isHostNetworkPod(testPod({ spec: { hostNetwork: true } }))).toBe(true);
  });

  it('terminal phases are Succeeded and Failed', () => {
    const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown', undefined];
    expect(phases.map(isTerminalPhase)).toEqual([false, false, true, true, false, false]);
  });
});
