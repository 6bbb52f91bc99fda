import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createTar, type TarEntry } from './tar.ts';

/** Defaults of the image's containers (the used part of the `config` of an OCI image). */
export interface ImageDefaults {
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly string[];
  readonly workingDir?: string;
}

/** An image of one layer. */
export interface ImageSource {
  /** Full references, `registry/repository:tag`: the names under which a runtime finds the image once it is imported. */
  readonly references: readonly string[];
  /** The root file system; a parent directory comes before its entries. */
  readonly files: readonly TarEntry[];
  readonly defaults: ImageDefaults;
  /** GOARCH name; default: that of the machine. */
  readonly architecture?: string;
}

/** Path of the binary of Debian's busybox-static. It must be the static one: an image has no libraries. */
export const BUSYBOX_PATH = '/bin/busybox';

/** Names of busybox in the tests and the examples. Not `latest`: a pod would always try to pull it. */
export const BUSYBOX_REFERENCE = 'docker.io/library/busybox:1.36';

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Builds an OCI image layout as a tar archive, ready for `ctr images import`. Pure: the same source gives the same bytes, hence the same digests.
 * See the OCI image specification (image-layout, manifest, config).
 */
export function buildImage(source: ImageSource): Buffer {
  const layer = createTar(source.files);
  const config = json({
    architecture: source.architecture ?? goArchitecture(process.arch),
    os: 'linux',
    config: {
      Entrypoint: source.defaults.entrypoint,
      Cmd: source.defaults.command,
      Env: source.defaults.env ?? [PATH],
      WorkingDir: source.defaults.workingDir ?? '/',
    },
    rootfs: { type: 'layers', diff_ids: [digest(layer)] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'rxlet tools/containerd' }],
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: descriptor('application/vnd.oci.image.config.v1+json', config),
    // Not compressed: the image goes from one folder of the machine to another, and a digest then does not depend on a version of zlib.
    layers: [descriptor('application/vnd.oci.image.layer.v1.tar', layer)],
  });
  const index = json({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: source.references.map((reference) => ({
      ...descriptor('application/vnd.oci.image.manifest.v1+json', manifest),
      // The first is containerd's own and takes the name as it is; the second is the specification's.
      annotations: { 'io.containerd.image.name': reference, 'org.opencontainers.image.ref.name': reference },
    })),
  });
  return createTar([
    { type: 'file', path: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { type: 'file', path: 'index.json', content: index },
    { type: 'directory', path: 'blobs' },
    { type: 'directory', path: 'blobs/sha256' },
    ...[manifest, config, layer].map((blob): TarEntry => ({
      type: 'file',
      path: `blobs/${digest(blob).replace(':', '/')}`,
      content: blob,
    })),
  ]);
}

/** A small Linux userland: busybox with all its applets in /bin. Without a command a container of it runs `sh`. */
export function busyboxImage(...references: string[]): Buffer {
  return buildImage({ references, files: busyboxFiles(), defaults: { command: ['sh'] } });
}

/**
 * A sandbox ("pause") image: its process does nothing until SIGTERM or SIGINT, then exits at once. The trap matters, since the kernel drops signals without a
 * handler to a process 1. `wait` lets the shell reap orphans in a pod whose containers share the PID namespace.
 */
export function pauseImage(...references: string[]): Buffer {
  const script = `trap 'kill $!; exit 0' TERM INT; while :; do sleep 2147483 & wait $!; done`;
  return buildImage({
    references,
    files: [...directories('bin', 'dev', 'etc', 'proc', 'sys'), busyboxBinary()],
    defaults: { entrypoint: [BUSYBOX_PATH, 'sh', '-c', script] },
  });
}

/** Root file system of busybox with all its applets. */
export function busyboxFiles(): TarEntry[] {
  const applets = execFileSync(BUSYBOX_PATH, ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean).sort();
  return [
    ...directories('bin', 'dev', 'etc', 'home', 'proc', 'root', 'run', 'sys', 'usr', 'var', 'var/log'),
    { type: 'directory', path: 'tmp', mode: 0o1777 },
    busyboxBinary(),
    ...applets.filter((name) => name !== 'busybox').map((name): TarEntry => link(`bin/${name}`, 'busybox')),
    // Scripts name their interpreter in several places (`#!/usr/bin/env sh`).
    link('sbin', 'bin'),
    link('var/run', '../run'),
    link('usr/bin', '../bin'),
    link('usr/sbin', '../bin'),
    file('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n'),
    file('etc/group', 'root:x:0:\nnogroup:x:65534:\n'),
  ];
}

function busyboxBinary(): TarEntry {
  return { type: 'file', path: BUSYBOX_PATH.slice(1), mode: 0o755, content: readFileSync(BUSYBOX_PATH) };
}

function directories(...paths: string[]): TarEntry[] {
  return paths.map((path) => ({ type: 'directory', path }));
}

function link(path: string, target: string): TarEntry {
  return { type: 'symlink', path, target };
}

function file(path: string, content: string): TarEntry {
  return { type: 'file', path, content };
}

function descriptor(mediaType: string, blob: Buffer): { mediaType: string; digest: string; size: number } {
  return { mediaType, digest: digest(blob), size: blob.length };
}

function digest(blob: Buffer): string {
  return `sha256:${createHash('sha256').update(blob).digest('hex')}`;
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Converts Node's name of an architecture to Go's, which OCI uses. */
function goArchitecture(nodeName: string): string {
  return { x64: 'amd64', ia32: '386' }[nodeName] ?? nodeName;
}
