// This file shows the headings that contain all words, in any letter case. Enter opens the first one.
const words = document.querySelector('#words');
const count = document.querySelector('#count');
const rows = [...document.querySelectorAll('#headings li')];

function search() {
  const wanted = words.value.toLowerCase().split(/\s+/);
  for (const row of rows) row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word));
  const found = rows.filter((row) => !row.hidden).length;
  count.textContent = words.value.trim() === '' ? '' : `${found} of ${rows.length} headings`;
}

words.addEventListener('input', search);
words.addEventListener('keydown', (event) => {
  if (event.key === 'Enter')
    rows
      .find((row) => !row.hidden)
      ?.querySelector('a')
      .click();
});
search();
