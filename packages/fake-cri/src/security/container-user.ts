import { type LinuxContainerSecurityContext, ServiceError, StatusCode, SupplementalGroupsPolicy } from '@rxlet/cri-api';

/** User and groups of a container's processes. */
export interface ContainerUser {
  readonly uid: bigint;
  readonly gid: bigint;
  /** Without duplicates; the primary group first. */
  readonly supplementalGroups: bigint[];
}

/** Files of an image that define its users. */
export interface UserFiles {
  readonly passwd: string;
  readonly group: string;
}

/**
 * Returns the user of a container: from its configuration, otherwise from its image (`user`, `user:group`), otherwise root. The primary group is that of the user in
 * `/etc/passwd` unless it is given; the groups that have the user as a member in `/etc/group` are added unless the policy is strict.
 * Throws InvalidArgument for a group without a user, and for a name that the image does not have, for which containerd's code is Unknown.
 */
export function containerUser(
  context: LinuxContainerSecurityContext | undefined,
  imageUser: string,
  files: UserFiles,
): ContainerUser {
  const {
    runAsUser,
    runAsUsername = '',
    runAsGroup,
    supplementalGroups = [],
    supplementalGroupsPolicy,
  } = context ?? {};
  const requested = runAsUsername !== '' ? runAsUsername : runAsUser === undefined ? '' : String(runAsUser.value);
  if (requested === '' && runAsGroup !== undefined) {
    throw new ServiceError(
      StatusCode.InvalidArgument,
      `failed to generate user string: user group "${String(runAsGroup.value)}" is specified without user`,
    );
  }
  const [user = '', group = ''] = requested === '' ? imageUser.split(':') : [requested];
  const { name, uid, gid: ownGid } = findUser(user, files.passwd);
  const gid = runAsGroup?.value ?? (group === '' ? ownGid : findGroup(group, files.group));
  const ofImage =
    supplementalGroupsPolicy === SupplementalGroupsPolicy.Strict ? [] : groupsWithMember(name, files.group);
  return { uid, gid, supplementalGroups: [...new Set([gid, ...supplementalGroups, ...ofImage])] };
}

/** Returns the name of a user or group with this id in `/etc/passwd` or `/etc/group`. */
export function nameOfId(id: bigint, file: string): string | undefined {
  return recordsOf(file).find(([, , number]) => number === String(id))?.[0];
}

function findUser(user: string, passwd: string): { name: string; uid: bigint; gid: bigint } {
  const wanted = user === '' ? '0' : user;
  const isNumber = /^\d+$/.test(wanted);
  const record = recordsOf(passwd).find(([name, , uid]) => (isNumber ? uid : name) === wanted);
  if (record !== undefined) {
    const [name = '', , uid = '0', gid = '0'] = record;
    return { name, uid: BigInt(uid), gid: BigInt(gid) };
  }
  if (isNumber) return { name: '', uid: BigInt(wanted), gid: 0n };
  throw new ServiceError(StatusCode.InvalidArgument, `unable to find user ${user}: no matching entries in passwd file`);
}

function findGroup(group: string, file: string): bigint {
  if (/^\d+$/.test(group)) return BigInt(group);
  const record = recordsOf(file).find(([name]) => name === group);
  if (record !== undefined) return BigInt(record[2] ?? '0');
  throw new ServiceError(
    StatusCode.InvalidArgument,
    `unable to find group ${group}: no matching entries in group file`,
  );
}

function groupsWithMember(user: string, file: string): bigint[] {
  if (user === '') return [];
  return recordsOf(file)
    .filter(([, , , members = '']) => members.split(',').includes(user))
    .map(([, , gid = '0']) => BigInt(gid));
}

/** Returns the fields of each line whose id is a number. */
function recordsOf(file: string): string[][] {
  return file
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([, , id = '']) => /^\d+$/.test(id));
}
