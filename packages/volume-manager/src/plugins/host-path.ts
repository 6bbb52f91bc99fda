import type { FileKind } from '@rxlet/node-files';
import type { PluginContext } from './plugin-context.ts';
import type { VolumePlugin } from '@rxlet/agent-api/volumes';

/** Types of hostPath volumes, with the kind that must be there and its name in messages. */
const types: Readonly<Record<string, { readonly kind: FileKind; readonly noun: string; readonly creates?: boolean }>> =
  {
    DirectoryOrCreate: { kind: 'directory', noun: 'directory', creates: true },
    Directory: { kind: 'directory', noun: 'directory' },
    FileOrCreate: { kind: 'file', noun: 'file', creates: true },
    File: { kind: 'file', noun: 'file' },
    Socket: { kind: 'socket', noun: 'socket file' },
    CharDevice: { kind: 'character-device', noun: 'character device' },
    BlockDevice: { kind: 'block-device', noun: 'block device' },
  };

/** Creates the plugin of hostPath volumes: files and directories of the node, which the agent neither owns nor removes. */
export function hostPathPlugin({ hostFiles, hostPaths }: PluginContext): VolumePlugin {
  const checkType = async (path: string, type: string): Promise<void> => {
    const wanted = types[type];
    if (wanted === undefined) throw new Error(`${type} is an invalid volume type`);
    const found = await hostFiles.stat(path);
    if (found === undefined && wanted.creates === true) {
      await (wanted.kind === 'directory' ? hostPaths.makeDirectory(path) : hostPaths.makeFile(path));
      return;
    }
    if (found?.kind !== wanted.kind) throw new Error(`hostPath type check failed: ${path} is not a ${wanted.noun}`);
  };

  return {
    name: 'kubernetes.io/host-path',
    field: 'hostPath',
    mode: 'Filesystem',
    refreshes: false,
    volume({ hostPath, persistent }) {
      const { path = '', type = '' } = hostPath ?? {};
      return {
        hostPath: path,
        attributes: { readOnly: persistent?.readOnly ?? false, managed: false, seLinuxRelabel: false },
        async setUp() {
          if (path.split('/').includes('..')) throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
          if (type !== '') await checkType(path, type);
        },
      };
    },
    tearDown: async () => undefined,
  };
}
