// The QR code of a link.
import { fetchPart } from '../fetching.js';
import { Dialog } from '../parts/dialog.js';
import { CopyButton, Segments } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { ErrorNote } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { html, useEffect, useState } from '../view.js';
import { say } from '../words.js';
import { partsOf } from './key.js';
import { qrFile, qrShape } from './qr-shape.js';
import { shortLink } from './short-link.js';

/** @typedef {{ size: number, path: string }} Shape */

/** @param {{ name: string, onClose: () => void }} props `name` is the key of the link. */
export function QrDialog({ name, onClose }) {
  const key = partsOf(name);
  const { slug } = key;
  const [shape, setShape] = useState(/** @type {Shape | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const [pixels, setPixels] = useState('1024');
  const address = shortLink(key);
  const draw = () => { encode(address).then(setShape, setError); };
  useEffect(draw, [address]);
  const footer = html`<${Segments} label=${say('size')} value=${pixels} onChange=${setPixels} options=${[['512', '512'], ['1024', '1024'], ['2048', '2048']]} />
    <button type="button" class="button push" disabled=${!shape} onClick=${() => shape && savePng(shape, Number(pixels), slug)}><${Icon} name="down" />PNG</button>
    <button type="button" class="button primary" disabled=${!shape} onClick=${() => shape && save(`${slug}.svg`, 'image/svg+xml', qrFile(shape))}><${Icon} name="down" />SVG</button>`;
  return html`<${Dialog} title=${say('qrCode')} class="small qr" onClose=${onClose} footer=${footer}>
    ${error && !shape && html`<${ErrorNote} error=${error} again=${draw} />`}
    <div class="qr-frame">${shape && html`<svg viewBox="0 0 ${shape.size} ${shape.size}" role="img" aria-label=${say('qrOf', { link: address })} shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${shape.size}v${shape.size}H0z" /><path fill="#000" d=${shape.path} /></svg>`}</div>
    <p class="qr-link"><span class="mono">${address.replace(/^https?:\/\//, '')}</span><${CopyButton} text=${address} /></p><//>`;
}

/** @param {string} address @returns {Promise<Shape>} */
async function encode(address) {
  const { default: qrcode } = await fetchPart((again) => import('../../vendor/qrcode-generator-2.0.4/qrcode.mjs' + again));
  const code = qrcode(0, 'M');
  code.addData(address, 'Byte');
  code.make();
  return qrShape(code);
}

/** @param {Shape} shape @param {number} pixels @param {string} slug */
function savePng({ size, path }, pixels, slug) {
  const canvas = document.createElement('canvas');
  canvas.width = pixels;
  canvas.height = pixels;
  const draw = canvas.getContext('2d');
  if (!draw) return;
  draw.fillStyle = '#fff';
  draw.fillRect(0, 0, pixels, pixels);
  // Whole pixels per module, so that edges stay sharp; the rest is more margin.
  const scale = Math.floor(pixels / size);
  draw.translate(Math.floor((pixels - scale * size) / 2), Math.floor((pixels - scale * size) / 2));
  draw.scale(scale, scale);
  draw.fillStyle = '#000';
  draw.fill(new Path2D(path));
  canvas.toBlob((blob) => { if (blob) save(`${slug}.png`, 'image/png', blob); });
}
