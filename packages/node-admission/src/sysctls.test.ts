import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { createSysctlAllowlist } from './sysctls.ts';
import { pod } from './test-support.ts';

const setting = (name: string, spec: Partial<Pod['spec']> = {}): Pod =>
  pod('new', { securityContext: { sysctls: [{ name, value: '1' }] }, ...spec });
const problem = (judged: Pod, allowedUnsafeSysctls: readonly string[] = [], kernelVersion = '6.1.0') =>
  createSysctlAllowlist({ kernelVersion, allowedUnsafeSysctls }).reject(judged);

describe('the list of kernel parameters', () => {
  it('allows safe parameters, with either separator', () => {
    for (const name of ['kernel.shm_rmid_forced', 'net/ipv4/tcp_syncookies', 'net.ipv4.tcp_wmem'])
      expect(problem(setting(name))).toBeUndefined();
    expect(problem(pod('new'))).toBeUndefined();
  });

  it.each([
    ['net.ipv4.ip_local_reserved_ports', '3.15', '3.16'],
    ['net.ipv4.tcp_keepalive_time', '4.4.9', '4.5'],
    ['net.ipv4.tcp_fin_timeout', '4.5.1-generic', '4.6.0-generic'],
    ['net.ipv4.tcp_rmem', '4.9', '4.15'],
  ])('allows %s after the kernel %s', (name, before, from) => {
    expect(problem(setting(name), [], before)).toMatchObject({ reason: 'SysctlForbidden' });
    expect(problem(setting(name), [], from)).toBeUndefined();
    expect(problem(setting(name), [], 'unknown')).toBeDefined();
  });

  it('rejects other parameters', () => {
    expect(problem(setting('kernel.msgmax'))).toEqual({
      reason: 'SysctlForbidden',
      message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
    });
  });

  it('allows names and prefixes that the configuration adds', () => {
    expect(problem(setting('kernel.msgmax'), ['kernel.msg*'])).toBeUndefined();
    expect(problem(setting('kernel.sem'), ['kernel/sem'])).toBeUndefined();
    expect(problem(setting('net.ipv4.conf.eth0/1.rp_filter'), ['net.ipv4.conf.*'])).toBeUndefined();
    expect(problem(setting('kernel.shmmax'), ['kernel.msg*'])).toBeDefined();
  });

  it('rejects a parameter of a namespace that the pod shares with the node', () => {
    const ofNet = setting('net.ipv4.tcp_syncookies', { hostNetwork: true, hostIPC: true });
    expect(problem(ofNet)?.message).toBe(
      'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
    );
    const ofIpc = setting('kernel.msgmax', { hostIPC: true });
    expect(problem(ofIpc, ['kernel.msg*'])?.message).toBe(
      'forbidden sysctl: "kernel.msgmax" not allowed with host IPC enabled',
    );
    expect(problem(setting('net.ipv4.tcp_syncookies', { hostIPC: true }))).toBeUndefined();
  });

  it.each(['kernel.*', 'vm.swappiness', '*', 'Kernel.msg', 'net..x', 'net.*.x', '', `net.${'x'.repeat(250)}`])(
    'cannot contain %j',
    (pattern) => {
      expect(() => problem(pod('new'), [pattern])).toThrow(TypeError);
    },
  );

  it("names the pattern of sysctls in the kubelet's words", () => {
    expect(() => problem(pod('new'), ['net.**'])).toThrow(
      'sysctl "net.**" must have at most 253 characters and match regex ([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]',
    );
  });
});
