import type { Image } from '../image.ts';
import type { UserFiles } from '../security/container-user.ts';
import { COMMANDS } from '../shell/commands.ts';

/** Users of an image that brings no `/etc/passwd`: the common ones of busybox. */
const PASSWD = `root:x:0:0:root:/root:/bin/sh
daemon:x:1:1:daemon:/usr/sbin:/bin/false
bin:x:2:2:bin:/bin:/bin/false
mail:x:8:8:mail:/var/spool/mail:/bin/false
www-data:x:33:33:www-data:/var/www:/bin/false
nobody:x:65534:65534:nobody:/home:/bin/false
`;
const GROUP = `root:x:0:
daemon:x:1:
bin:x:2:
mail:x:8:
www-data:x:33:
users:x:100:
nogroup:x:65534:
`;
/** UID and GID of a user or group that an image names as its own without describing it. */
const OWN_ID = 1000;

/** Returns the files of an image that define its users. The user and group that it names itself exist in any case. */
export function userFilesOf({ files, user }: Pick<Image, 'files' | 'user'>): UserFiles {
  const [name = '', group = ''] = user.split(':');
  return {
    passwd: withRecord(
      files['/etc/passwd'] ?? PASSWD,
      name,
      `${name}:x:${String(OWN_ID)}:${String(OWN_ID)}::/:/bin/sh`,
    ),
    group: withRecord(files['/etc/group'] ?? GROUP, group, `${group}:x:${String(OWN_ID)}:`),
  };
}

/** Returns the files of an image by path: its own, its users, and the programs that the fake has, which are empty files in `/bin`. */
export function filesOfImage(image: Pick<Image, 'files' | 'user'>): Record<string, string> {
  const { passwd, group } = userFilesOf(image);
  const bin = Object.fromEntries(['sh', ...COMMANDS.keys()].map((name) => [`/bin/${name}`, '']));
  return { ...bin, ...image.files, '/etc/passwd': passwd, '/etc/group': group };
}

function withRecord(file: string, name: string, record: string): string {
  if (name === '' || /^\d+$/.test(name)) return file;
  if (file.split('\n').some((line) => line.startsWith(`${name}:`))) return file;
  return `${file}${file === '' || file.endsWith('\n') ? '' : '\n'}${record}\n`;
}
