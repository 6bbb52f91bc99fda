import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a key (default: elliptic curve) and a self-signed certificate. */
export function selfSignedCertificate(newKey = 'ec'): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'rxlet-certificate-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const names = ['-subj', '/CN=nobody', '-days', '1'];
    const curve = newKey === 'ec' ? ['-pkeyopt', 'ec_paramgen_curve:prime256v1'] : [];
    const keyOptions = ['-newkey', newKey, ...curve, '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...keyOptions, '-keyout', key, '-out', cert, ...names], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
