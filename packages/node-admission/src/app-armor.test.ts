import { otherPods } from '@rxlet/agent-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { createAppArmorAdmission } from './app-armor.ts';
import { pod } from './test-support.ts';

const { signal } = new AbortController();
async function isAdmitted(judged: Pod, files: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const { hostFiles } = createMemoryFiles({ files });
  return (await createAppArmorAdmission(hostFiles).admit(judged, otherPods([]), signal)) === undefined;
}
const confined = pod('new', { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } });
const container = (type: 'Unconfined' | 'RuntimeDefault'): Pod =>
  pod('new', { containers: [{ name: 'app', image: 'i', securityContext: { appArmorProfile: { type } } }] });
const annotated = (value: string): Pod =>
  pod('new', {}, { metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/app': value } } });

describe('AppArmor admission', () => {
  it('rejects profiles where the kernel does not enforce them', async () => {
    const { hostFiles } = createMemoryFiles();
    expect(await createAppArmorAdmission(hostFiles).admit(confined, otherPods([]), signal)).toEqual({
      reason: 'AppArmor',
      message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host',
    });
    for (const judged of [container('RuntimeDefault'), annotated('runtime/default')])
      expect(await isAdmitted(judged)).toBe(false);
  });

  it('admits pods without profiles, and those that have started', async () => {
    for (const judged of [pod('new'), container('Unconfined'), annotated('unconfined')])
      expect(await isAdmitted(judged)).toBe(true);
    expect(await isAdmitted({ ...confined, status: { phase: 'Running' } })).toBe(true);
    expect(await isAdmitted({ ...confined, status: { phase: 'Pending' } })).toBe(false);
  });

  it('admits profiles where the kernel enforces them', async () => {
    const securityfs = { '/sys/kernel/security/apparmor/profiles': '' };
    const parameter = '/sys/module/apparmor/parameters/enabled';
    expect(await isAdmitted(confined, { ...securityfs, [parameter]: 'Y\n' })).toBe(true);
    expect(await isAdmitted(confined, { ...securityfs, [parameter]: 'N\n' })).toBe(false);
    expect(await isAdmitted(confined, { [parameter]: 'Y\n' })).toBe(false);
  });
});
