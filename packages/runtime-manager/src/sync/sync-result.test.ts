import { describe, expect, it } from 'vitest';
import { podSyncResult, type SyncResult } from './sync-result.ts';

const failures = (count: number): readonly SyncResult[] =>
  Array.from({ length: count }, (_none, index) => ({
    action: 'StartContainer',
    target: `c${String(index)}`,
    reason: 'CreateContainerConfigError',
    message: 'configmap "a" not found',
  }));

describe('the error of a sync', () => {
  it('describes the failures in the words of a kubelet', () => {
    const one = 'with CreateContainerConfigError: "configmap \\"a\\" not found"';
    expect(podSyncResult(failures(2)).error?.message).toBe(
      `failed to "StartContainer" for "c0" ${one}, failed to "StartContainer" for "c1" ${one}`,
    );
    expect(podSyncResult([{ action: 'StartContainer', target: 'c0' }]).error).toBeUndefined();
  });

  it('describes some of thousands of failures: each retry logs it', () => {
    const { error } = podSyncResult(failures(8_000));
    expect(error?.failures).toHaveLength(8_000);
    expect(error?.message.length).toBeLessThan(3_000);
    expect(error?.message).toMatch(/ for "c19" with [^,]*, and 7980 more$/);
  });
});
