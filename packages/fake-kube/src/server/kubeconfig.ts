/** Credentials in a kubeconfig. */
export interface KubeconfigUser {
  readonly name: string;
  readonly certificatePem?: string;
  readonly keyPem?: string;
  readonly token?: string;
}

/** Returns a kubeconfig file with one cluster and one user. JSON, which is YAML too. */
export function writeKubeconfig({
  server,
  caPem,
  user,
}: {
  readonly server: string;
  readonly caPem: string;
  readonly user: KubeconfigUser;
}): string {
  const { name, certificatePem, keyPem, token } = user;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'fake', cluster: { server, ...(caPem !== '' && { 'certificate-authority-data': base64(caPem) }) } },
    ],
    users: [
      {
        name,
        user: {
          ...(certificatePem !== undefined && { 'client-certificate-data': base64(certificatePem) }),
          ...(keyPem !== undefined && { 'client-key-data': base64(keyPem) }),
          ...(token !== undefined && { token }),
        },
      },
    ],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: name } }],
    'current-context': 'fake',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
