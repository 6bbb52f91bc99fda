import type { RecordDirectories, RecordDirectory } from '@rxlet/image-manager';
import type { FileSystem } from '@rxlet/runtime-manager';

/** Of a larger file than this only the end is read, which is no record. */
const MAX_RECORD_BYTES = 1024 * 1024;

/** The directories of pull records of a kubelet's root directory, on the agent's files. */
export function recordDirectories(files: FileSystem, rootDirectory: string): RecordDirectories {
  const directory = (name: string): RecordDirectory => {
    const path = `${rootDirectory}/image_manager/${name}`;
    return {
      path,
      // What is left of a write that was cut short is not a record.
      list: async () => (await files.list(path)).filter((name) => !name.endsWith('.tmp')),
      async read(file) {
        const bytes = await files.readTail(`${path}/${file}`, MAX_RECORD_BYTES);
        return bytes && new TextDecoder().decode(bytes);
      },
      async write(file, text) {
        await files.makeDirectory(path, 0o700);
        await files.replaceFile(`${path}/${file}`, text, 0o600);
      },
      remove: (file) => files.removeFile(`${path}/${file}`),
    };
  };
  return { pulling: directory('pulling'), pulled: directory('pulled') };
}
