import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { NamespaceMode, PodSandboxState, type PodSandboxStatus, PodSandboxStatusSchema } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { convertSandboxStatus } from './convert-sandbox.ts';

describe('convertSandboxStatus', () => {
  type Init = Exclude<MessageInitShape<typeof PodSandboxStatusSchema>, PodSandboxStatus>;
  const message = (more: Init = {}): PodSandboxStatus =>
    create(PodSandboxStatusSchema, {
      id: 's',
      metadata: { uid: 'u', name: 'web', namespace: 'default', attempt: 3 },
      state: PodSandboxState.SANDBOX_READY,
      createdAt: 5n,
      network: { ip: '10.0.0.1', additionalIps: [{ ip: 'fd00::1' }] },
      runtimeHandler: 'runc',
      ...more,
    });
  const convert = (more?: Init) => convertSandboxStatus(message(more));

  it('converts a sandbox', () => {
    expect(convert()).toEqual({
      id: 's',
      attempt: 3,
      state: 'ready',
      createdAtNanos: 5n,
      ips: ['10.0.0.1', 'fd00::1'],
      hostNetwork: false,
      hasNetworkStatus: true,
      runtimeHandler: 'runc',
    });
    expect(convert({ state: PodSandboxState.SANDBOX_NOTREADY }).state).toBe('notready');
  });

  it("reports whether the sandbox uses the node's network", () => {
    const linux = { namespaces: { options: { network: NamespaceMode.NODE } } };
    expect(convert({ linux, network: undefined })).toMatchObject({
      hostNetwork: true,
      hasNetworkStatus: false,
      ips: [],
    });
  });

  it.each([
    [{ ip: '', additionalIps: [] }, []],
    [{ ip: '', additionalIps: [{ ip: '10.0.0.2' }] }, ['10.0.0.2']],
    [{ ip: '010.0.0.001', additionalIps: [] }, ['010.0.0.001']],
  ])('converts %j to the IPs %j', (network, ips) => {
    expect(convert({ network })).toMatchObject({ hasNetworkStatus: true, ips });
  });

  it.each([
    { ip: 'host', additionalIps: [{ ip: '10.0.0.2' }] },
    { ip: '10.0.0.1', additionalIps: [{ ip: '' }] },
    { ip: 'fe80::1%eth0', additionalIps: [] },
  ])('reports no network status with invalid addresses, which must not replace the sandbox: %j', (network) => {
    expect(convert({ network })).toMatchObject({ hasNetworkStatus: false, ips: [] });
  });

  it.each([
    ['status.id', { id: '' }],
    ['status.metadata', { metadata: undefined }],
    ['status.metadata.name', { metadata: { namespace: 'default', uid: 'u' } }],
    ['status.metadata.namespace', { metadata: { name: 'web', uid: 'u' } }],
    ['status.metadata.uid', { metadata: { name: 'web', namespace: 'default' } }],
    ['status.createdAt', { createdAt: 0n }],
  ])('rejects a status without %s', (field, more) => {
    expect(() => convert(more)).toThrow(expect.objectContaining({ name: 'RuntimeResponseError', field }));
  });

  it('rejects a response without a status', () => {
    expect(() => convertSandboxStatus(undefined)).toThrow('status is not set');
  });
});
