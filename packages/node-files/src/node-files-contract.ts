import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { FileInfo } from './file-info.ts';
import type { HostFiles } from './host-files.ts';
import type { NodeFiles } from './node-files.ts';

/** An implementation that a contract case runs against. */
export interface FilesUnderTest {
  readonly nodeFiles: NodeFiles;
  readonly hostFiles: HostFiles;
  /** An empty directory, root of {@link FilesUnderTest.nodeFiles}. */
  readonly root: string;
  /** Creates a link as a container would, past the port. */
  putLink(path: string, target: string): void | Promise<void>;
  /** Creates a pipe. */
  putPipe(path: string): void | Promise<void>;
}

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();
const unsafe = (reason: string) => ({ name: 'UnsafePathError', reason });

/**
 * Rules that every implementation of the ports keeps, as named cases that reject when one is broken. Each case needs a new {@link FilesUnderTest}.
 */
export const nodeFilesContract: Readonly<Record<string, (files: FilesUnderTest) => Promise<void>>> = {
  async 'creates directories with the mode that was asked for'({ nodeFiles, root }) {
    await nodeFiles.makeDirectory(`${root}/a/b`, 0o2770);
    equal((await nodeFiles.stat(`${root}/a`))?.mode, 0o2770);
    equal((await nodeFiles.stat(`${root}/a/b`))?.mode, 0o2770);
    await nodeFiles.makeDirectory(`${root}/a`, 0o700);
    equal((await nodeFiles.stat(`${root}/a`))?.mode, 0o2770);
  },

  async 'creates a directory once when asked several times at once'({ nodeFiles, root }) {
    const paths = ['a/b/c', 'a/b', 'a/b/d', 'a/b/c'].map((path) => `${root}/${path}`);
    await Promise.all(paths.map((path) => nodeFiles.makeDirectory(path, 0o750)));
    for (const path of paths) equal((await nodeFiles.stat(path))?.mode, 0o750);
  },

  async 'creates no directory in the place of a file or below it'({ nodeFiles, root }) {
    await nodeFiles.writeFile(`${root}/file`, 'x', 0o644);
    const fault = { ...unsafe('NotADirectory'), path: `${root}/file` };
    await rejects(nodeFiles.makeDirectory(`${root}/file`, 0o755), fault);
    await rejects(nodeFiles.makeDirectory(`${root}/file/below`, 0o755), fault);
    await rejects(nodeFiles.makeDirectory(`${root}/file/below/deeper`, 0o755), fault);
    equal(text(await nodeFiles.readFile(`${root}/file`, 9)), 'x');
  },

  async 'writes in place and replaces as another file'({ nodeFiles, root }) {
    const path = `${root}/file`;
    await nodeFiles.writeFile(path, 'one', 0o640);
    const first = await nodeFiles.stat(path);
    await nodeFiles.writeFile(path, 'second', 0o600);
    const second = await nodeFiles.stat(path);
    equal(second?.identity, first?.identity);
    ok(second?.version !== first?.version);
    equal(second?.mode, 0o600);
    await nodeFiles.replaceFile(path, 'third', 0o644);
    ok((await nodeFiles.stat(path))?.identity !== first?.identity);
    equal(text(await nodeFiles.readFile(path, 100)), 'third');
    deepEqual(await nodeFiles.list(root), ['file']);
  },

  async 'appends to files that exist'({ nodeFiles, root }) {
    await rejects(nodeFiles.appendFile(`${root}/log`, 'x'), { code: 'ENOENT' });
    await nodeFiles.writeFile(`${root}/log`, 'a', 0o600);
    await nodeFiles.appendFile(`${root}/log`, 'b');
    equal(text(await nodeFiles.readFile(`${root}/log`, 100)), 'ab');
  },

  async 'creates a file only where nothing is'({ nodeFiles, root, putLink }) {
    await nodeFiles.createFile(`${root}/new`, 0o666);
    equal((await nodeFiles.stat(`${root}/new`))?.mode, 0o666);
    await rejects(nodeFiles.createFile(`${root}/new`, 0o666), { code: 'EEXIST' });
    await putLink(`${root}/dangling`, '/nowhere');
    await rejects(nodeFiles.createFile(`${root}/dangling`, 0o666), { code: 'EEXIST' });
  },

  async 'reads the end, nothing of what is missing, and no more than the limit'({ nodeFiles, root }) {
    await nodeFiles.writeFile(`${root}/file`, '0123456789', 0o600);
    equal(text(await nodeFiles.readTail(`${root}/file`, 4)), '6789');
    equal(text(await nodeFiles.readTail(`${root}/file`, 400)), '0123456789');
    equal(await nodeFiles.readTail(`${root}/missing`, 4), undefined);
    equal(await nodeFiles.readFile(`${root}/missing/deeper`, 4), undefined);
    equal(text(await nodeFiles.readFile(`${root}/file`, 10)), '0123456789');
    await rejects(nodeFiles.readFile(`${root}/file`, 9), { name: 'UnsafeFileError', message: /has more than 9 bytes/ });
  },

  async 'finds nothing below a file'({ nodeFiles, root }) {
    await nodeFiles.writeFile(`${root}/file`, 'x', 0o600);
    for (const path of [`${root}/file/below`, `${root}/file/below/deeper`]) {
      equal(await nodeFiles.stat(path), undefined);
      equal(await nodeFiles.exists(path), false);
      equal(await nodeFiles.readFile(path, 9), undefined);
      equal(await nodeFiles.readPrivate(path, 9), undefined);
      equal(await nodeFiles.readTail(path, 9), undefined);
      equal(await nodeFiles.closeToOthers(path), false);
      deepEqual(await nodeFiles.list(path), []);
      await nodeFiles.removeFile(path);
      await nodeFiles.removeTree(path);
      equal(await nodeFiles.removeEmptyDirectory(path), true);
    }
    deepEqual(await nodeFiles.list(`${root}/file`), []);
  },

  async 'reads as private only files that no other user can have written'({ nodeFiles, root }) {
    const path = `${root}/state`;
    equal(await nodeFiles.readPrivate(path, 10), undefined);
    await nodeFiles.writeFile(path, 'ours', 0o600);
    equal(await nodeFiles.readPrivate(path, 10), 'ours');
    await nodeFiles.chmod(path, 0o620);
    await rejects(nodeFiles.readPrivate(path, 10), { name: 'UnsafeFileError', message: /writable by other users/ });
    await nodeFiles.chmod(path, 0o600);
    await nodeFiles.chown(path, 1000, -1);
    await rejects(nodeFiles.readPrivate(path, 10), { name: 'UnsafeFileError', message: /belongs to user 1000/ });
  },

  async 'closes a directory of its own to other users'({ nodeFiles, root, putLink }) {
    const path = `${root}/records`;
    equal(await nodeFiles.closeToOthers(path), false);
    await nodeFiles.makeDirectory(path, 0o755);
    equal(await nodeFiles.closeToOthers(path), true);
    equal((await nodeFiles.stat(path))?.mode, 0o700);
    await nodeFiles.chown(path, 1000, -1);
    await rejects(nodeFiles.closeToOthers(path), { name: 'UnsafeFileError', message: /belongs to user 1000/ });
    await nodeFiles.writeFile(`${root}/file`, '', 0o600);
    await rejects(nodeFiles.closeToOthers(`${root}/file`), unsafe('NotADirectory'));
    await putLink(`${root}/link`, path);
    await rejects(nodeFiles.closeToOthers(`${root}/link`), unsafe('SymbolicLink'));
  },

  async 'never waits for a pipe'({ nodeFiles, hostFiles, root, putPipe }) {
    await putPipe(`${root}/pipe`);
    equal((await nodeFiles.stat(`${root}/pipe`))?.kind, 'fifo');
    await rejects(nodeFiles.readFile(`${root}/pipe`, 10), { name: 'UnsafeFileError' });
    await rejects(hostFiles.read(`${root}/pipe`, 10), { name: 'UnsafeFileError' });
  },

  async 'rejects paths outside of its roots'({ nodeFiles, root }) {
    await rejects(nodeFiles.writeFile(`${root}/../escaped`, 'x', 0o600), unsafe('OutsideRoots'));
    await rejects(nodeFiles.list('/somewhere/else'), unsafe('OutsideRoots'));
  },

  async 'follows no link below a root'({ nodeFiles, root, putLink }) {
    await nodeFiles.makeDirectory(`${root}/real`, 0o700);
    await nodeFiles.writeFile(`${root}/real/file`, 'x', 0o600);
    await putLink(`${root}/link`, `${root}/real`);
    await putLink(`${root}/file`, `${root}/real/file`);
    for (const attempt of [
      () => nodeFiles.readFile(`${root}/link/file`, 9),
      () => nodeFiles.writeFile(`${root}/link/file`, 'y', 0o600),
      () => nodeFiles.writeFile(`${root}/file`, 'y', 0o600),
      () => nodeFiles.replaceFile(`${root}/file`, 'y', 0o600),
      () => nodeFiles.readFile(`${root}/file`, 9),
      () => nodeFiles.chmod(`${root}/file`, 0o777),
      () => nodeFiles.list(`${root}/link`),
      () => nodeFiles.makeDirectory(`${root}/link/below`, 0o700),
      () => nodeFiles.removeFile(`${root}/link/file`),
      () => nodeFiles.openDirectory(`${root}/link`),
    ]) {
      await rejects(attempt, unsafe('SymbolicLink'));
    }
    equal(text(await nodeFiles.readFile(`${root}/real/file`, 9)), 'x');
    equal((await nodeFiles.stat(`${root}/file`))?.kind, 'symlink');
    await nodeFiles.removeFile(`${root}/file`);
    deepEqual((await nodeFiles.list(root)).toSorted(), ['link', 'real']);
  },

  async 'creates links, replacing one that is there'({ nodeFiles, root }) {
    await nodeFiles.symlink('a', `${root}/link`);
    await nodeFiles.symlink('b', `${root}/link`);
    equal(await nodeFiles.exists(`${root}/link`), false);
    await nodeFiles.writeFile(`${root}/b`, '', 0o600);
    equal(await nodeFiles.exists(`${root}/link`), true);
  },

  async 'renames, replacing a file'({ nodeFiles, root }) {
    await nodeFiles.writeFile(`${root}/a`, 'a', 0o600);
    await nodeFiles.writeFile(`${root}/b`, 'b', 0o600);
    await nodeFiles.rename(`${root}/a`, `${root}/b`);
    equal(text(await nodeFiles.readFile(`${root}/b`, 9)), 'a');
    await rejects(nodeFiles.rename(`${root}/a`, `${root}/c`), { code: 'ENOENT' });
  },

  async 'removes files, trees and empty directories, also when they are gone'({ nodeFiles, root }) {
    await nodeFiles.makeDirectory(`${root}/tree/deep`, 0o700);
    await nodeFiles.writeFile(`${root}/tree/deep/file`, '', 0o600);
    equal(await nodeFiles.removeEmptyDirectory(`${root}/tree`), false);
    await nodeFiles.removeTree(`${root}/tree`);
    await nodeFiles.removeTree(`${root}/tree`);
    await nodeFiles.removeFile(`${root}/tree/deep/file`);
    equal(await nodeFiles.removeEmptyDirectory(`${root}/tree`), true);
    deepEqual(await nodeFiles.list(`${root}/tree`), []);
  },

  async 'works in an open directory whatever becomes of its path'({ nodeFiles, root, putLink }) {
    await nodeFiles.makeDirectory(`${root}/volume/data`, 0o700);
    await using directory = await nodeFiles.openDirectory(`${root}/volume/data`);
    ok(directory !== undefined);
    await nodeFiles.rename(`${root}/volume`, `${root}/moved`);
    await putLink(`${root}/volume`, '/');
    {
      await using file = await directory.createFile('file', 0o640);
      await file.write('one');
      await file.write(Buffer.from('two'));
      await file.sync();
    }
    await directory.sync();
    equal(text(await nodeFiles.readFile(`${root}/moved/data/file`, 9)), 'onetwo');
    equal((await directory.stat('file'))?.mode, 0o640);
    await rejects(directory.createFile('file', 0o640), { code: 'EEXIST' });
  },

  async 'names the path in errors of an open directory'({ nodeFiles, root }) {
    await nodeFiles.makeDirectory(`${root}/a/b/c`, 0o700);
    await using directory = await nodeFiles.openDirectory(`${root}/a`);
    const path = `${root}/a/b`;
    const expected =
      (code: string, name = path) =>
      (error: NodeJS.ErrnoException) =>
        error.code === code && error.message.includes(name) && !error.message.includes('/proc/self');
    await rejects(directory!.makeDirectory('b', 0o700), expected('EEXIST'));
    await rejects(directory!.createFile('b', 0o600), expected('EEXIST'));
    await rejects(directory!.symlink('x', 'b'), expected('EEXIST'));
    await rejects(directory!.remove('b'), expected('EISDIR'));
    await rejects(directory!.removeDirectory('b'), expected('ENOTEMPTY'));
    await rejects(directory!.rename('none', 'other'), expected('ENOENT', `${root}/a/none`));
    await rejects(directory!.chmod('none', 0o600), expected('ENOENT', `${root}/a/none`));
    await rejects(directory!.readLink('none'), expected('ENOENT', `${root}/a/none`));
  },

  async 'rejects links and names with slashes in an open directory'({ nodeFiles, root, putLink }) {
    await nodeFiles.makeDirectory(`${root}/data`, 0o700);
    await nodeFiles.writeFile(`${root}/data/file`, 'x', 0o600);
    await putLink(`${root}/data/link`, '/');
    await using directory = await nodeFiles.openDirectory(`${root}/data`);
    ok(directory !== undefined);
    await rejects(directory.openDirectory('link'), unsafe('SymbolicLink'));
    await rejects(directory.openFile('link'), unsafe('SymbolicLink'));
    await rejects(directory.chmod('link', 0o777), unsafe('SymbolicLink'));
    await rejects(directory.openDirectory('file'), unsafe('NotADirectory'));
    for (const name of ['', '.', '..', '../data', 'a/b', 'a\0b']) {
      await rejects(directory.stat(name), unsafe('NotAName'));
    }
    equal(await directory.openDirectory('missing'), undefined);
    equal(await directory.openFile('missing'), undefined);
    equal(await directory.readLink('link'), '/');
    await directory.remove('link');
    await directory.remove('link');
    deepEqual(await directory.list(), ['file']);
  },

  async 'renames in an open directory unless the name is taken'({ nodeFiles, root }) {
    await nodeFiles.makeDirectory(`${root}/logs`, 0o700);
    await using directory = await nodeFiles.openDirectory(`${root}/logs`);
    ok(directory !== undefined);
    for (const name of ['a', 'b']) await (await directory.createFile(name, 0o600))[Symbol.asyncDispose]();
    equal(await directory.renameUnlessTaken('a', 'b'), false);
    equal(await directory.renameUnlessTaken('a', 'c'), true);
    await directory.rename('b', 'c');
    deepEqual(await directory.list(), ['c']);
  },

  async 'keeps an open file through its removal'({ nodeFiles, root }) {
    await nodeFiles.makeDirectory(`${root}/logs`, 0o700);
    await nodeFiles.writeFile(`${root}/logs/file`, '0123', 0o600);
    await using directory = await nodeFiles.openDirectory(`${root}/logs`);
    await using file = await directory?.openFile('file');
    ok(file !== undefined);
    equal((await file.stat()).links, 1);
    await directory?.remove('file');
    equal((await file.stat()).links, 0);
    equal(text(await file.read(1, 2)), '12');
    equal(text(await file.read(4, 2)), '');
  },

  async 'opens entries of every kind but links, and changes their modes'({ nodeFiles, root, putLink, putPipe }) {
    await nodeFiles.makeDirectory(`${root}/data/sub`, 0o700);
    await nodeFiles.writeFile(`${root}/data/file`, 'x', 0o600);
    await putLink(`${root}/data/link`, `${root}/data/file`);
    await putPipe(`${root}/data/pipe`);
    await using directory = await nodeFiles.openDirectory(`${root}/data`);
    ok(directory !== undefined);
    for (const [name, kind] of Object.entries({ sub: 'directory', file: 'file', pipe: 'fifo' })) {
      await directory.chmod(name, 0o640);
      await using entry = await directory.openEntry(name);
      const info: FileInfo | undefined = await entry?.stat();
      deepEqual([info?.kind, info?.mode], [kind, 0o640]);
      equal(await directory.isMountPoint(name), false);
      // It stays the entry although another one takes its name.
      await directory.rename(name, `${name}-moved`);
      await directory.createFile(name, 0o600);
      await entry?.chown(-1, 1234);
      await entry?.chmod(0o2750);
      const moved = await directory.stat(`${name}-moved`);
      deepEqual([moved?.gid, moved?.mode], [1234, 0o2750]);
      deepEqual((await directory.stat(name))?.mode, 0o600);
    }
    await using itself = await directory.openEntry('.');
    equal((await itself?.stat())?.identity, (await nodeFiles.stat(`${root}/data`))?.identity);
    await rejects(directory.openEntry('link'), unsafe('SymbolicLink'));
    equal(await directory.openEntry('missing'), undefined);
    equal(await directory.isMountPoint('missing'), false);
    await rejects(directory.openEntry('..'), unsafe('NotAName'));
  },

  async 'removes trees of any depth, links as such'({ nodeFiles, root, putLink }) {
    await nodeFiles.makeDirectory(`${root}/precious`, 0o700);
    await nodeFiles.writeFile(`${root}/precious/file`, 'x', 0o600);
    const deep = Array.from({ length: 60 }, (_, depth) => `d${String(depth % 3)}`);
    await nodeFiles.makeDirectory(`${root}/tree/${deep.join('/')}`, 0o700);
    for (const depth of [1, 15, 16, 17, 40, 60]) {
      const path = `${root}/tree/${deep.slice(0, depth).join('/')}`;
      await nodeFiles.writeFile(`${path}/file`, '', 0o600);
      await putLink(`${path}/link`, `${root}/precious`);
    }
    await using directory = await nodeFiles.openDirectory(root);
    await rejects(directory!.removeTree('../data'), unsafe('NotAName'));
    await directory!.removeTree('tree');
    await directory!.removeTree('tree');
    await nodeFiles.removeTree(`${root}/missing/tree`);
    deepEqual(await nodeFiles.list(root), ['precious']);
    await nodeFiles.removeTree(`${root}/precious/file`);
    deepEqual(await nodeFiles.list(`${root}/precious`), []);
  },

  async 'follows links in files of the host'({ hostFiles, nodeFiles, root, putLink }) {
    await nodeFiles.makeDirectory(`${root}/etc`, 0o755);
    await nodeFiles.writeFile(`${root}/etc/hosts`, 'localhost', 0o644);
    await putLink(`${root}/link`, `${root}/etc/hosts`);
    await putLink(`${root}/etc/dangling`, '/nowhere');
    const read = await hostFiles.read(`${root}/link`, 100);
    equal(text(read?.bytes), 'localhost');
    equal(read?.mode, 0o644);
    equal(await hostFiles.read(`${root}/etc/dangling`, 100), undefined);
    await rejects(hostFiles.read(`${root}/link`, 3), { name: 'UnsafeFileError', message: /more than 3 bytes/ });
    equal((await hostFiles.stat(`${root}/link`))?.kind, 'file');
    await using file = await hostFiles.open(`${root}/link`);
    equal(file?.identity, (await nodeFiles.stat(`${root}/etc/hosts`))?.identity);
  },

  async 'opens directories of the host, by links too'({ hostFiles, nodeFiles, root, putLink }) {
    await nodeFiles.makeDirectory(`${root}/volume`, 0o755);
    await nodeFiles.writeFile(`${root}/volume/file`, 'text', 0o644);
    await putLink(`${root}/to-volume`, `${root}/volume`);
    await using directory = await hostFiles.openDirectory(`${root}/to-volume`);
    equal((await directory?.list())?.join(), 'file');
    equal(await hostFiles.openDirectory(`${root}/none`), undefined);
    equal(await hostFiles.openDirectory(`${root}/volume/file`), undefined);
  },

  async 'lists directories and single files of the host'({ hostFiles, nodeFiles, root, putLink }) {
    await nodeFiles.makeDirectory(`${root}/pods/below`, 0o755);
    await nodeFiles.writeFile(`${root}/pods/web.yaml`, 'x', 0o644);
    await putLink(`${root}/pods/dangling`, '/nowhere');
    const listing = await hostFiles.list(`${root}/pods`);
    equal(listing.kind, 'directory');
    deepEqual(Object.fromEntries(listing.entries.map(({ name, info }) => [name, info?.kind])), {
      below: 'directory',
      'web.yaml': 'file',
      dangling: undefined,
    });
    const single = await hostFiles.list(`${root}/pods/web.yaml`);
    equal(single.kind, 'file');
    deepEqual(
      single.entries.map(({ name, path }) => [name, path]),
      [['web.yaml', `${root}/pods/web.yaml`]],
    );
    await rejects(hostFiles.list(`${root}/missing`), { code: 'ENOENT' });
  },

  async 'reports files that are moved into place as complete, and no others'({ hostFiles, nodeFiles, root }) {
    await nodeFiles.makeDirectory(`${root}/pods`, 0o755);
    await nodeFiles.writeFile(`${root}/pods/old.yaml`, 'x', 0o644);
    const placed: string[] = [];
    const changed = new Set<string | undefined>();
    const delivered = Promise.withResolvers<void>();
    using _watch = hostFiles.watch(`${root}/pods`, {
      onChange: ({ name }) => changed.add(name),
      onPlaced({ name, path, info }) {
        placed.push(`${name} ${path.slice(root.length)} ${String(info.sizeBytes)}`);
        // The last changes of this case, which are examined at the same time: all earlier ones have been delivered.
        if (['moved', 'last'].every((moved) => placed.some((line) => line.startsWith(moved)))) delivered.resolve();
      },
      onEnd: delivered.reject,
    });
    await nodeFiles.writeFile(`${root}/pods/written.yaml`, '12345', 0o644);
    await nodeFiles.createFile(`${root}/pods/empty.yaml`, 0o644);
    await nodeFiles.makeDirectory(`${root}/directory`, 0o755);
    await nodeFiles.rename(`${root}/directory`, `${root}/pods/directory`);
    await nodeFiles.removeFile(`${root}/pods/old.yaml`);
    for (const name of ['moved', 'last']) {
      await nodeFiles.writeFile(`${root}/new`, '12345', 0o644);
      await nodeFiles.rename(`${root}/new`, `${root}/pods/${name}.yaml`);
    }
    await delivered.promise;
    deepEqual(placed.sort(), ['last.yaml /pods/last.yaml 5', 'moved.yaml /pods/moved.yaml 5']);
    ok(['written.yaml', 'empty.yaml', 'directory', 'old.yaml', 'moved.yaml'].every((name) => changed.has(name)));
  },

  async 'reports that a watched file, or another one in its place, changed'({ hostFiles, nodeFiles, root }) {
    await nodeFiles.writeFile(`${root}/pod.yaml`, 'x', 0o644);
    const before = await hostFiles.list(`${root}/pod.yaml`);
    let change = Promise.withResolvers<void>();
    using _watch = hostFiles.watch(`${root}/pod.yaml`, { onChange: () => change.resolve(), onEnd: change.reject });
    await nodeFiles.writeFile(`${root}/pod.yaml`, 'y', 0o644);
    await change.promise;
    change = Promise.withResolvers<void>();
    await nodeFiles.replaceFile(`${root}/pod.yaml`, 'z', 0o644);
    await change.promise;
    ok((await hostFiles.list(`${root}/pod.yaml`)).identity !== before.identity);
  },
};
