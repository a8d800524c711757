// Drives one VS Code window (code-server in headless Chromium) and writes what a user would see.
// node vscode_session.cjs PLAN.json: {playwright, chromium, url, folder, scenario, out, pictures}
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const plan = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const { chromium } = require(plan.playwright);

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
const PATIENCE = 60_000;
const STATUS = '[id="tl-ascend.tl-ascend.server"]';
const LINES = '.editor-instance .view-lines .view-line';
const PROBLEMS = '.markers-panel .monaco-list-row';
const LENSES = '.codelens-decoration';
const MARKED = '.view-overlays .cdr[class*="TextEditorDecorationType"]';
const LOG = '.output-view .view-line';
const TOASTS = '.notifications-toasts .notification-list-item';

const seen = {};

/** Texts of all elements that a selector hits, with VS Code's hard blanks made plain. */
function texts(page, selector) {
  return page.$$eval(selector, (all) => all.map((e) => e.textContent.replace(/\u00a0/g, ' ')));
}

/** Waits until so many elements (0: none any more) that the selector hits have a text that matches. */
async function waitForText(page, selector, pattern, wanted = 1) {
  const arg = { selector, pattern, wanted };
  const check = ({ selector, pattern, wanted }) => {
    const all = [...document.querySelectorAll(selector)].filter((e) =>
      new RegExp(pattern).test(e.textContent.replace(/\u00a0/g, ' ')),
    );
    return wanted === 0 ? all.length === 0 : all.length >= wanted;
  };
  try {
    await page.waitForFunction(check, arg, { timeout: PATIENCE });
  } catch (error) {
    const found = JSON.stringify(await texts(page, selector));
    throw new Error(`${wanted} of /${pattern}/ wanted in ${selector}: ${found}`);
  }
  return (await texts(page, selector)).filter((text) => new RegExp(pattern).test(text));
}

/** Waits for a line of the log that matches and is later than the last one that matches `mark`. An editor
 * keeps only the lines in view, so that lines cannot be counted; each begins with its time. */
async function waitForLater(page, selector, mark, pattern) {
  const check = ({ selector, mark, pattern }) => {
    const lines = [...document.querySelectorAll(selector)].map((e) =>
      e.textContent.replace(/\u00a0/g, ' '),
    );
    const marks = lines.filter((line) => new RegExp(mark).test(line)).sort();
    const last = marks[marks.length - 1];
    return last !== undefined && lines.some((l) => new RegExp(pattern).test(l) && l > last);
  };
  try {
    await page.waitForFunction(check, { selector, mark, pattern }, { timeout: PATIENCE });
  } catch (error) {
    const found = JSON.stringify(await texts(page, selector));
    throw new Error(`/${pattern}/ after /${mark}/ wanted in ${selector}: ${found}`);
  }
}

/** Waits until lines are marked in the editor with one text and not in the one with the other. */
async function markedIn(page, text, other) {
  const check = ({ text, other, marked }) => {
    const editors = [...document.querySelectorAll('.editor-instance')];
    const plain = (e) => e.textContent.replace(/\u00a0/g, ' ');
    const count = (wanted) =>
      editors
        .filter((e) => plain(e).includes(wanted))
        .reduce((sum, e) => sum + e.querySelectorAll(marked).length, 0);
    return count(text) > 0 && count(other) === 0 && count(text);
  };
  const arg = { text, other, marked: MARKED };
  return (await page.waitForFunction(check, arg, { timeout: PATIENCE })).jsonValue();
}

function picture(page, name) {
  const file = path.join(plan.pictures, `vscode_${name}.png`);
  return page.screenshot({ path: file, animations: 'disabled' });
}

async function command(page, title) {
  await page.keyboard.press('F1');
  await page.waitForSelector('.quick-input-widget input', { state: 'visible' });
  await page.keyboard.insertText(title);
  const row = `.quick-input-widget .monaco-list-row:has-text("${title}")`;
  await page.click(row, { timeout: PATIENCE });
}

async function openFile(page, name) {
  await page.dblclick(`.explorer-folders-view .monaco-list-row :text-is("${name}")`);
  await page.waitForSelector(`.tab.active:has-text("${name}")`, { timeout: PATIENCE });
  await page.waitForSelector(LINES, { timeout: PATIENCE });
}

/** Replaces the first occurrence of a word in the active editor, by keyboard. */
async function replaceWord(page, from, to) {
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+F');
  await page.waitForSelector('.find-widget.visible textarea', { state: 'visible' });
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(from);
  await waitForText(page, '.find-widget .matchesCount', '1 of 1');
  await page.keyboard.press('Escape');
  await page.keyboard.insertText(to);
}

async function hover(page, selector) {
  await page.hover(selector);
  await page.waitForSelector('.monaco-hover .hover-contents', { timeout: PATIENCE });
  return (await texts(page, '.monaco-hover')).join(' ');
}

/** Kills the window's language server as the kernel would; it is known by the folder's `.venv`. */
function killServer() {
  const python = path.join(plan.folder, '.venv', 'bin', 'python');
  const ours = fs.readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words[0] === python && words.includes('tl_ascend_server');
    } catch {
      return false; // it ended meanwhile
    }
  });
  for (const pid of ours) process.kill(Number(pid), 'SIGKILL');
  return ours.length;
}

function writeSettings(text) {
  fs.mkdirSync(path.join(plan.folder, '.vscode'), { recursive: true });
  fs.writeFileSync(path.join(plan.folder, '.vscode', 'settings.json'), JSON.stringify(text));
}

const scenarios = {
  /** The usual life: plain Python, then kernels, a fault, its repair, a setting, a restart. */
  async usual(page) {
    await openFile(page, 'plain.py');
    seen.status_plain = await texts(page, STATUS);
    await openFile(page, 'gemm.py');
    seen.status = await waitForText(page, STATUS, 'tl-ascend \\d');
    seen.hints = await waitForText(page, LINES, plan.hint);
    seen.tooltip = await hover(page, STATUS);
    await picture(page, 'hints');

    writeSettings({ 'tl-ascend.inlayHints.buffers': false });
    await waitForText(page, LINES, plan.hint, 0);
    writeSettings({});
    await waitForText(page, LINES, plan.hint);

    await openFile(page, 'gemm_wide.py');
    await command(page, 'Problems: Focus on Problems View');
    seen.problems = await waitForText(page, PROBLEMS, 'TL\\d');
    await picture(page, 'problem');
    await page.click('.editor-instance .view-lines');
    await replaceWord(page, 'block_N=512', 'block_N=128');
    await waitForText(page, PROBLEMS, 'TL\\d', 0);
    await picture(page, 'mended');

    await command(page, 'tl-ascend: Restart Language Server');
    await command(page, 'tl-ascend: Show Logs');
    seen.log = await waitForText(page, LOG, 'is running', 2);
    seen.status_restarted = await waitForText(page, STATUS, 'tl-ascend \\d');
    seen.killed = killServer();
    await waitForLater(page, LOG, 'starting it again', 'is running');
    await waitForText(page, STATUS, 'tl-ascend \\d');
    await openFile(page, 'gemm.py');
    await waitForText(page, LINES, plan.hint);
    seen.messages = await texts(page, TOASTS);
    await picture(page, 'logs');
  },

  /** What becomes of a kernel, beside it; building says what is missing. */
  async views(page) {
    await openFile(page, 'gemm.py');
    seen.lenses = await waitForText(page, LENSES, 'Show emitted source');
    await page.click(`${LENSES} a:text-is("Show emitted source")`);
    await page.waitForSelector('.tab:has-text(".cpp")', { timeout: PATIENCE });
    seen.source = await waitForText(page, LINES, 'tl_templates/ascend');
    await page.click('.editor-instance .view-line:has-text("T.gemm_v0")');
    seen.to_source = await markedIn(page, 'tl::ascend::gemm_v0', 'T.gemm_v0');
    await picture(page, 'source');
    await page.click('.editor-instance .view-line:has-text("tl::ascend::gemm_v0")');
    seen.to_kernel = await markedIn(page, 'T.gemm_v0', 'tl::ascend::gemm_v0');
    await page.click('.tab:has-text("gemm.py")');
    await command(page, 'tl-ascend: Show Lowered IR');
    await page.waitForSelector('.quick-input-widget .monaco-list-row:has-text("simplify")');
    await page.keyboard.insertText('front-end');
    await page.click('.quick-input-widget .monaco-list-row:has-text("front-end")');
    seen.ir = await waitForText(page, LINES, '^kernel ');
    await page.click('.tab:has-text("gemm.py")');
    await command(page, 'tl-ascend: Build Kernel');
    seen.message = await waitForText(page, TOASTS, 'CANN is not found');
    await command(page, 'tl-ascend: Choose Instance, Sizes and Device');
    await page.waitForSelector('.quick-input-widget .monaco-list-row:has-text("Show lowered IR")');
    seen.choices = await texts(page, '.quick-input-widget .monaco-list-row');
    await page.click('.quick-input-widget .monaco-list-row:has-text("Show emitted source")');
    await page.waitForSelector('.tab.active:has-text(".cpp"), .tab:has-text(".cpp")', { timeout: PATIENCE });
  },

  /** A folder that is not trusted: nothing in it runs, and the message says what to do. */
  async untrusted(page) {
    await openFile(page, 'gemm.py');
    seen.status = await waitForText(page, STATUS, 'server not found');
    seen.message = await waitForText(page, TOASTS, 'tl-ascend');
    seen.lines = await texts(page, LINES);
    await picture(page, 'missing');
  },

  /** The interpreter chosen in the Python extension decides, also when it changes. */
  async python_extension(page) {
    await openFile(page, 'gemm.py');
    await waitForText(page, STATUS, 'tl-ascend \\d');
    await waitForText(page, LINES, plan.hint);
    seen.tooltip = await hover(page, STATUS);
    await command(page, 'Stand-in: Choose the Other Interpreter');
    seen.status = await waitForText(page, STATUS, 'server not found');
    seen.message = await waitForText(page, TOASTS, 'tl-ascend');
    await waitForText(page, LINES, plan.hint, 0);
  },

  /** A server that cannot live is started a few times, then left alone. */
  async crashing(page) {
    await openFile(page, 'gemm.py');
    seen.status = await waitForText(page, STATUS, 'crashed');
    await waitForText(page, TOASTS, 'left stopped');
    seen.messages = await texts(page, TOASTS);
    await picture(page, 'crashed');
  },
};

async function main() {
  const browser = await chromium.launch({ executablePath: plan.chromium, args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  try {
    const folder = encodeURIComponent(plan.folder);
    await page.goto(`${plan.url}/?folder=${folder}`, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('.explorer-folders-view .monaco-list-row', { timeout: PATIENCE });
    await scenarios[plan.scenario](page);
  } catch (error) {
    await picture(page, `failed_${plan.scenario}`);
    throw error;
  } finally {
    await browser.close();
  }
  fs.writeFileSync(plan.out, JSON.stringify(seen, null, 1));
}

main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
