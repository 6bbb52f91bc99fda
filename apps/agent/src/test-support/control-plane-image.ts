import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildImage, busyboxFiles } from '@rxlet/test-containerd/build-image';
import type { TarEntry } from '@rxlet/test-containerd/tar';

const OPENSSL = '/usr/bin/openssl';

/**
 * Stands in for the programs of a control plane: it needs each path that its flags name, and answers the probes as the program does, over TLS with the
 * certificate of its flags, or with one of its own as components without such flags do.
 */
const STAND_IN = `#!/bin/sh
name=\${0##*/}
fail() { echo "$name: $*" >&2; exit 1; }
for argument; do
  value=\${argument#*=}
  case $argument in
    --tls-cert-file=*) certificate=$value ;;
    --tls-private-key-file=*) key=$value ;;
    --data-dir=*) echo data > "$value/member" || fail "cannot write to $value" ;;
  esac
  case $value in
    /*) [ -e "$value" ] || fail "there is no $value" ;;
  esac
done
trap 'kill $!; exit 0' TERM
serve() { openssl s_server -quiet -www -accept "$1" -cert "$certificate" -key "$key" & wait $!; fail 'the server has ended'; }
own() {
  certificate=/tmp/certificate key=/tmp/key
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -config /etc/openssl.cnf \\
    -out $certificate -keyout $key || fail 'no certificate'
}
case $name in
  etcd) mkdir -p /www && echo ok > /www/livez && echo ok > /www/readyz && httpd -f -p 127.0.0.1:2381 -h /www & wait $! ;;
  kube-apiserver) serve 6443 ;;
  kube-controller-manager) own && serve 127.0.0.1:10257 ;;
  kube-scheduler) own && serve 127.0.0.1:10259 ;;
esac
fail 'the server has ended'
`;

/** Builds an image with stand-ins for the programs of a control plane: busybox, openssl of this machine, and one script under the programs' names. */
export function controlPlaneImage(references: readonly string[]): Buffer {
  const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  const libraries = [...execFileSync('ldd', [OPENSSL], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].map(
    ([, path]) => path!,
  );
  return buildImage({
    references,
    files: [
      ...busyboxFiles(),
      ...directoriesOf(libraries).map((path): TarEntry => ({ type: 'directory', path })),
      ...libraries.map((path) => program(path.slice(1), readFileSync(path))),
      program('bin/openssl', readFileSync(OPENSSL)),
      program('etc/openssl.cnf', '[req]\ndistinguished_name = name\n[name]\n'),
      ...programs.map((name) => program(`bin/${name}`, STAND_IN)),
    ],
    defaults: {},
  });
}

function program(path: string, content: string | Buffer): TarEntry {
  return { type: 'file', path, mode: 0o755, content };
}

/** Returns the directories of absolute paths, parents first. */
function directoriesOf(paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const add = (directory: string): void => {
    if (directory === '/') return;
    add(dirname(directory));
    found.add(directory.slice(1));
  };
  for (const path of paths) add(dirname(path));
  return [...found];
}
