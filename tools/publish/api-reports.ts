import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, type IConfigFile } from '@microsoft/api-extractor';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { isBundled, readWorkspacePackages, type WorkspacePackage } from '../workspace/workspace-packages.ts';

/**
 * Writes an API report of each entry point into the `api` folder of its package, so that a change of a public type shows in review. With `--check`
 * it only compares: a report that differs is a failure. Both work on the declarations that `npm run build` makes.
 */
const check = process.argv.includes('--check');
const temporary = await mkdtemp(join(tmpdir(), 'rxlet-api-'));
try {
  let different = 0;
  for (const workspacePackage of readWorkspacePackages()) {
    const { folder, manifest } = workspacePackage;
    const entries = isBundled(manifest) || manifest.private === true ? [] : entryPoints(workspacePackage);
    for (const entry of entries) {
      if (!(await report(folder, entry))) continue;
      different += 1;
      process.stdout.write(`${check ? 'differs' : 'updated'}: ${folder}/api/${entry.name}.api.md\n`);
    }
    for (const path of reportsWithoutEntry(folder, entries)) {
      different += 1;
      if (!check) await rm(join(workspaceRoot, path));
      process.stdout.write(`${check ? 'no such entry point' : 'removed'}: ${path}\n`);
    }
  }
  if (check && different > 0) {
    process.stdout.write('a public type changed: run "npm run api" and commit the result\n');
    process.exitCode = 1;
  }
} finally {
  await rm(temporary, { recursive: true, force: true });
}

interface EntryPoint {
  /** Name of the report: of the package, with the subpath. */
  readonly name: string;
  readonly types: string;
}

function entryPoints({ manifest: { name, exports = {} } }: WorkspacePackage): EntryPoint[] {
  return Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            name: [name.replace(/^@rxlet\//, ''), ...subpath.split('/').slice(1)].join('-'),
            types: target['types'] ?? '',
          },
        ],
  );
}

/** Returns the reports of entry points that a package no longer publishes. */
function reportsWithoutEntry(folder: string, entries: readonly EntryPoint[]): string[] {
  const reports = join(workspaceRoot, folder, 'api');
  const published = new Set(entries.map(({ name }) => `${name}.api.md`));
  return existsSync(reports)
    ? readdirSync(reports)
        .filter((name) => !published.has(name))
        .map((name) => `${folder}/api/${name}`)
    : [];
}

/** Makes the report of an entry point. Returns whether it differs from the existing one. */
async function report(folder: string, { name, types }: EntryPoint): Promise<boolean> {
  const projectFolder = join(workspaceRoot, folder);
  const mainEntryPointFilePath = join(projectFolder, types);
  if (!existsSync(mainEntryPointFilePath))
    throw new Error(`cannot read ${mainEntryPointFilePath}: run "npm run build" first`);
  const reportFolder = join(projectFolder, 'api');
  await mkdir(reportFolder, { recursive: true });
  // Of its own, since the project's chooses sources where there are any.
  const tsconfig = join(temporary, `${name}.json`);
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: ['node'],
    typeRoots: [join(workspaceRoot, 'node_modules/@types')],
    strict: true,
    skipLibCheck: true,
  };
  await writeFile(tsconfig, JSON.stringify({ compilerOptions, files: [mainEntryPointFilePath] }));
  const configObject: IConfigFile = {
    projectFolder,
    mainEntryPointFilePath,
    compiler: { tsconfigFilePath: tsconfig },
    apiReport: { enabled: true, reportFileName: name, reportFolder, reportTempFolder: temporary },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: 'lf',
    messages: {
      compilerMessageReporting: { default: { logLevel: 'error' as never } },
      // The report shows what is public; the prose of docstrings is judged elsewhere.
      extractorMessageReporting: { default: { logLevel: 'none' as never } },
      tsdocMessageReporting: { default: { logLevel: 'none' as never } },
    },
  };
  const packageJsonFullPath = join(projectFolder, 'package.json');
  const config = ExtractorConfig.prepare({ configObject, configObjectFullPath: undefined, packageJsonFullPath });
  const result = Extractor.invoke(config, {
    localBuild: !check,
    messageCallback: (message) => {
      if (String(message.logLevel) !== 'error') message.handled = true;
    },
  });
  if (result.errorCount > 0) throw new Error(`cannot report the API of ${name}: api-extractor found errors`);
  return result.apiReportChanged;
}
