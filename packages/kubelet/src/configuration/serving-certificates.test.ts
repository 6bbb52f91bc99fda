import { toServingCertificates } from '@rxlet/certificates/configuration';
import { loadConfiguration } from '@rxlet/kubelet-config';
import { expect, it } from 'vitest';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const optionsOf = (fields: string, ...args: readonly string[]) =>
  toServingCertificates(
    loadConfiguration({ file: { path: '/config.yaml', content: HEAD + fields }, args, cgroupVersion: 'v2' }),
  );

it('has the defaults of a kubelet, whatever the root directory is', () => {
  expect(optionsOf('', '--root-dir=/r')).toMatchObject({
    directory: '/var/lib/kubelet/pki',
    certificateFiles: undefined,
    isRequested: false,
    allowsDnsOnly: false,
  });
});

it('passes on flags and fields', () => {
  const fields = 'tlsCertFile: /tls.crt\ntlsPrivateKeyFile: /tls.key\nserverTLSBootstrap: true\n';
  const gates = 'featureGates: {AllowDNSOnlyNodeCSR: true}\n';
  expect(optionsOf(fields + gates, '--cert-dir=/certs')).toMatchObject({
    directory: '/certs',
    certificateFiles: { certFile: '/tls.crt', keyFile: '/tls.key' },
    isRequested: true,
    allowsDnsOnly: true,
  });
});

it('rejects a certificate without a key', () => {
  expect(() => optionsOf('tlsCertFile: /tls.crt\n')).toThrow('tlsCertFile and tlsPrivateKeyFile need each other');
});
