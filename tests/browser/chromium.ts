import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Names under which a Chromium is installed. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where this host has a Chromium, if it has one. None is ever downloaded. */
export function findChromium(path: string = process.env.PATH ?? ''): string | undefined {
  const files = path.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export function startChromium(executablePath: string): Promise<Browser> {
  // A container has neither the rights for Chromium's own sandbox nor much shared memory.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] });
}
