import { describe, expect, it } from 'vitest';
import {
  formatPulledRecord,
  formatPullIntent,
  type ImagePulledRecord,
  parsePulledRecord,
  parsePullIntent,
  recordFileName,
} from './record-format.ts';

const record: ImagePulledRecord = {
  imageRef: 'sha256:abc',
  lastUpdatedMs: Date.parse('2026-01-01T00:00:00Z'),
  credentialMapping: {
    'docker.io/library/nginx': {
      kubernetesSecrets: [{ uid: 'u', namespace: 'ns', name: 'n', credentialHash: 'h' }],
      kubernetesServiceAccounts: [{ uid: 'u2', namespace: 'ns', name: 'sa' }],
      nodePodsAccessible: false,
    },
    'quay.io/app': { kubernetesSecrets: [], kubernetesServiceAccounts: [], nodePodsAccessible: true },
  },
};

describe('pull records on disk', () => {
  it('use the hash of their subject as the file name', () => {
    expect(recordFileName('nginx:latest')).toBe(
      'sha256-28327d2d1d8875964c0e44e38f1f7e86c329f8be9e1bb5857c7f9a0ea4f6707b',
    );
  });

  it("equal a kubelet's for an intent", () => {
    const text = formatPullIntent('nginx:latest');
    expect(text).toBe(
      '{"kind":"ImagePullIntent","apiVersion":"kubelet.config.k8s.io/v1beta1","image":"nginx:latest"}\n',
    );
    expect(parsePullIntent(text)).toEqual({ record: 'nginx:latest', isCurrent: true });
  });

  it("equal a kubelet's for a pulled image", () => {
    const text = formatPulledRecord(record);
    expect(JSON.parse(text)).toEqual({
      kind: 'ImagePulledRecord',
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      lastUpdatedTime: '2026-01-01T00:00:00Z',
      imageRef: 'sha256:abc',
      credentialMapping: {
        'docker.io/library/nginx': {
          kubernetesSecrets: [{ uid: 'u', namespace: 'ns', name: 'n', credentialHash: 'h' }],
          kubernetesServiceAccounts: [{ uid: 'u2', namespace: 'ns', name: 'sa' }],
        },
        'quay.io/app': { nodePodsAccessible: true },
      },
    });
    expect(parsePulledRecord(text)).toEqual({ record, isCurrent: true });
  });

  it('may use the alpha version', () => {
    const text = JSON.stringify({
      kind: 'ImagePulledRecord',
      apiVersion: 'kubelet.config.k8s.io/v1alpha1',
      lastUpdatedTime: '2026-01-01T00:00:00Z',
      imageRef: 'sha256:abc',
      credentialMapping: { 'quay.io/app': { kubernetesSecrets: null, nodePodsAccessible: true } },
    });
    const { 'quay.io/app': app } = record.credentialMapping;
    const expected = { ...record, credentialMapping: { 'quay.io/app': app } };
    expect(parsePulledRecord(text)).toEqual({ record: expected, isCurrent: false });
  });

  it.each([
    ['', 'it is not JSON'],
    ['{"kind":"ImagePulledRecord"', 'it is not JSON'],
    ['[]', 'it is not an object'],
    ['null', 'it is not of kind ImagePulledRecord'],
    [formatPullIntent('x'), 'it is not of kind ImagePulledRecord'],
    [formatPulledRecord(record).replace('v1beta1', 'v2'), 'it is not of kind ImagePulledRecord'],
    [formatPulledRecord(record).replace('2026-01-01T00:00:00Z', 'yesterday'), 'lastUpdatedTime is not a time'],
    [formatPulledRecord(record).replace('"sha256:abc"', '7'), 'imageRef is not a text'],
    [formatPulledRecord(record).replace('true', '"yes"'), 'nodePodsAccessible in credentialMapping of quay.io/app'],
    [formatPulledRecord(record).replace('"h"', 'null'), 'credentialHash is not a text'],
  ])('must not have another kind: %s', (text, message) => {
    expect(() => parsePulledRecord(text)).toThrow(message);
  });
});
