import { describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { apiReferenceOf } from './api-references.ts';

const inContainer = (container: Partial<Container>): Partial<PodSpec> => ({
  containers: [{ name: 'c', ...container }],
});
const inVolume = (volume: object): Partial<PodSpec> => ({ volumes: [{ name: 'v', ...volume }] });

describe('apiReferenceOf', () => {
  it.each<[string, Partial<PodSpec>]>([
    ['serviceaccounts', { serviceAccountName: 'a' }],
    ['secrets', { imagePullSecrets: [{ name: 'a' }] }],
    ['secrets', inContainer({ env: [{ name: 'A', valueFrom: { secretKeyRef: { key: 'k' } } }] })],
    ['secrets', { initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 's' } }] }] }],
    ['secrets', inVolume({ secret: { secretName: 's' } })],
    ['secrets', inVolume({ projected: { sources: [{ secret: { name: 's' } }] } })],
    ['secrets', inVolume({ iscsi: { secretRef: { name: 's' } } })],
    ['configmaps', inContainer({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { key: 'k' } } }] })],
    ['configmaps', inContainer({ envFrom: [{ configMapRef: { name: 's' } }] })],
    ['configmaps', inVolume({ configMap: { name: 's' } })],
    ['configmaps', inVolume({ projected: { sources: [{ configMap: { name: 's' } }] } })],
    ['resourceclaims', { resourceClaims: [{ name: 'a' }] }],
    ['persistentvolumeclaims', inVolume({ persistentVolumeClaim: { claimName: 'a' } })],
    ['persistentvolumeclaims (via ephemeral volumes)', inVolume({ ephemeral: {} })],
    ['csidrivers (via CSI volumes)', inVolume({ csi: { driver: 'a' } })],
    ['endpoints (via glusterFS volumes)', inVolume({ glusterfs: { endpoints: 'e', path: 'p' } })],
    [
      'serviceaccounts (via projected volumes)',
      inVolume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
    ],
    ['clustertrustbundles', inVolume({ projected: { sources: [{ clusterTrustBundle: { path: 't' } }] } })],
  ])('finds %s', (resource, spec) => {
    expect(apiReferenceOf(testPod({ spec }))).toBe(resource);
  });

  it.each<[string, Partial<PodSpec>]>([
    ['nothing', {}],
    ['a pull secret without a name', { imagePullSecrets: [{}] }],
    ['a folder of the node', inVolume({ hostPath: { path: '/' } })],
    ['fields of the pod itself', inVolume({ projected: { sources: [{ downwardAPI: {} }] } })],
  ])('lets pass %s', (_, spec) => {
    expect(apiReferenceOf(testPod({ spec }))).toBeUndefined();
  });
});
