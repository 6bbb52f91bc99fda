import { createHash } from 'node:crypto';
import type { TarEntry } from '@rxlet/test-containerd/tar';
import type { Architecture } from '../contents/node-binary.ts';
import type { PackagedProgram } from '../contents/programs.ts';

/** Facts of a package that its program does not have. */
export interface PackageFacts {
  /** Version in Debian's form. */
  readonly version: string;
  readonly architecture: Architecture;
  /** Name and address, as in an e-mail. */
  readonly maintainer: string;
  /** Seconds since the epoch. */
  readonly timeSeconds: number;
}

/** Converts a semantic version to Debian's form, in which a tilde sorts before a release: `1.0.0-rc.1` is `1.0.0~rc.1`. */
export function debianVersion(version: string): string {
  return version.replace('-', '~');
}

/** Returns the file `control`. The libraries are those that Node.js 24 needs, with the versions of its symbols. */
export function controlFile(program: PackagedProgram, facts: PackageFacts, files: readonly TarEntry[]): string {
  return [
    `Package: ${program.name}`,
    `Version: ${facts.version}`,
    `Architecture: ${facts.architecture}`,
    `Maintainer: ${facts.maintainer}`,
    `Installed-Size: ${String(installedKib(files))}`,
    'Depends: libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 7)',
    `Recommends: ${program.recommends.join(', ')}`,
    'Section: admin',
    'Priority: optional',
    `Description: ${program.summary}`,
    ...program.description.map((line) => ` ${line}`),
    '',
  ].join('\n');
}

/** Installed size by Debian's rule: each file in whole kibibytes, and one for anything else. */
function installedKib(files: readonly TarEntry[]): number {
  return files.reduce(
    (sum, file) => sum + (file.type === 'file' ? Math.ceil(Buffer.byteLength(file.content) / 1024) : 1),
    0,
  );
}

/** Returns the file `md5sums`, by which `dpkg --verify` finds changed files. */
export function md5sums(files: readonly TarEntry[]): string {
  return files
    .flatMap((file) =>
      file.type === 'file' && !isConffile(file)
        ? [`${createHash('md5').update(file.content).digest('hex')}  ${file.path}\n`]
        : [],
    )
    .join('');
}

/** Returns the file `conffiles`: the files in `/etc`, which belong to the administrator. */
export function conffiles(files: readonly TarEntry[]): string {
  return files.map((file) => (isConffile(file) ? `/${file.path}\n` : '')).join('');
}

function isConffile({ type, path }: TarEntry): boolean {
  return type === 'file' && path.startsWith('etc/');
}

/** Returns the changelog in Debian's form: the release, and where its changes are. */
export function changelog({ name }: PackagedProgram, { version, maintainer, timeSeconds }: PackageFacts): string {
  const date = new Date(timeSeconds * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) unstable; urgency=medium

  * Release of ${name} ${version}. Its changes are in CHANGELOG.md.gz.

 -- ${maintainer}  ${date}
`;
}

/** Returns the file `copyright`, in the machine-readable form of Debian. Licenses of what the package brings along are in files beside it. */
export function copyrightFile({ timeSeconds }: PackageFacts): string {
  const year = String(new Date(timeSeconds * 1000).getUTCFullYear());
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: rxlet

Files: *
Copyright: ${year} The rxlet authors
License: Apache-2.0
 The full text is in /usr/share/common-licenses/Apache-2.0.
 .
 Files in dist also contain libraries, whose licenses are in THIRD-PARTY-NOTICES.gz.

Files: usr/lib/*/bin/node
Copyright: ${year} The Node.js contributors, and the authors of its libraries
License: Node.js
 The full text is in NODE-LICENSE.gz.
`;
}
