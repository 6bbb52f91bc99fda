import { describe, expect, it } from 'vitest';
import { chooseService } from './plugin-service.ts';

describe('chooseService', () => {
  it.each([
    [['v1.DRAPlugin'], 'v1.DRAPlugin'],
    [['v1beta1.DRAPlugin', 'v1.DRAPlugin'], 'v1beta1.DRAPlugin'],
    [['v2.DRAPlugin', 'v1alpha1.DRAResourceHealth', 'v1.DRAPlugin'], 'v1.DRAPlugin'],
  ])('takes the first that is supported of %j', (offered, chosen) => {
    expect(chooseService('gpu', '/gpu.sock', offered)).toBe(chosen);
  });

  it.each([
    [[], 'empty list of supported gRPC services (aka supported versions)'],
    [
      ['v2.DRAPlugin', 'x'],
      'none of services supported by the plugin (["v2.DRAPlugin" "x"]) are supported by the kubelet (["v1.DRAPlugin" "v1beta1.DRAPlugin"])',
    ],
  ])('rejects %j', (offered, problem) => {
    expect(() => chooseService('gpu', '/gpu.sock', offered)).toThrow(
      new Error(`invalid supported gRPC versions of DRA driver plugin gpu at endpoint /gpu.sock: ${problem}`),
    );
  });
});
